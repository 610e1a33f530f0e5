"""SOPs and POPs: points and primitives, and how each type makes them."""

from . import cooking as _cooking  # noqa: F401  registers how the types cook
