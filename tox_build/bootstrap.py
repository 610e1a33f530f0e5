"""The bootstrap script: one file that, run in TouchDesigner, builds the component through its Python API.

It makes the very component the expanded form describes, and can set what that form cannot yet: read-only parameters
and the starts of sections.
"""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Any

from td_component.description import TDMCP
from td_component.model import SCRIPTS, Component

_TEMPLATE = Path(__file__).parent / "templates" / "bootstrap.py"


def described(component: Component) -> dict[str, Any]:
    """The description as plain JSON values, the texts of its DATs included."""
    plain = asdict(component)
    for dat, source in zip(plain["dats"], component.dats, strict=True):
        dat["text"] = source.text()
        del dat["script"], dat["body"]
    return plain


def script(component: Component = TDMCP) -> str:
    """The text of the bootstrap script."""
    # The JSON stands in a raw string in triple single quotes, so it must hold none.
    text = json.dumps(described(component), indent=1, ensure_ascii=True).replace("'", "\\u0027")
    return (
        _TEMPLATE.read_text(encoding="utf-8")
        .replace("@NAME@", component.name)
        .replace('    # "@DEFINE@"\n', textwrap.indent(_definers(), "    "))
        .replace('"@DESCRIPTION@"', f"r'''{text}'''")
    )


def _definers() -> str:
    """The functions that make custom parameters, as the component itself carries them."""
    text = (SCRIPTS / "parameters.py").read_text(encoding="utf-8")
    return text.partition("# @DEFINE@\n")[2].partition("# @END@\n")[0].rstrip() + "\n"


def write_bootstrap(out_dir: Path, component: Component = TDMCP) -> Path:
    """Write `NAME_bootstrap.py` into `out_dir` and give its path."""
    path = out_dir / f"{component.name}_bootstrap.py"
    path.write_bytes(script(component).encode("utf-8"))
    return path
