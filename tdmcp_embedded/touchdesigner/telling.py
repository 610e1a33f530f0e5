"""Asking TouchDesigner for one detail among many, none of which may spoil the whole answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tdmcp_embedded.touchdesigner.values import clean, cut

T = TypeVar("T")


def told(read: Callable[[], T]) -> T | None:
    """What TD says, or None where it will not say: devices, plugins and drivers fail in ways of their own.

    Raises:
        AttributeError: TD has no such name. That is a mistake of ours, not a state of the project.
    """
    try:
        return read()
    except AttributeError:
        raise
    except Exception:  # noqa: BLE001 - whatever keeps TD from telling
        return None


def told_or_why(read: Callable[[], T]) -> T | str:
    """What TD says, or in its words why it will not."""
    try:
        return read()
    except AttributeError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever keeps TD from telling
        return cut(clean(str(error)), 200)
