"""What the stand-in raises: TouchDesigner's own exceptions, and two of its own that TouchDesigner does not have."""

from __future__ import annotations


class tdError(Exception):
    """TouchDesigner's exception for refused operations."""


class tdAttributeError(AttributeError):
    """TouchDesigner's exception for a name an object does not have."""


class NotFaked(Exception):
    """Somebody asked for behaviour that no fact establishes. Never caught inside the stand-in.

    Not an AttributeError, so that `hasattr` and `getattr(x, y, default)` do not hide it.
    """


class ThreadConflict(RuntimeError):
    """A TouchDesigner object was touched off the main thread; counted in the world as well (facts 1-2)."""
