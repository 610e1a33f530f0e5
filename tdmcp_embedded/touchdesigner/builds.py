"""What differs between builds of TouchDesigner, settled in one place."""

from __future__ import annotations

from typing import Any


def op_type(operator: Any) -> str:
    """The type of an operator, like `noiseTOP`. Main thread only.

    Every documented build has `OPType`; `opType` is only in the newest pages (fact 54).
    """
    found = getattr(operator, "OPType", None) or getattr(operator, "opType", None)
    return str(found or type(operator).__name__)
