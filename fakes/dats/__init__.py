"""DATs: text, tables, scripts as modules, and what each type cooks to."""

from . import cooking as _cooking  # noqa: F401  both register how types cook
from . import evaluating as _evaluating  # noqa: F401
