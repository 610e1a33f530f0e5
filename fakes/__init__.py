"""A TouchDesigner stand-in: the `td` module over operators that really hold state. See README.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakes.world import World


def install(world: World | None = None) -> World:
    """Make `import td` work, over `world` or a new one; the calling thread becomes the main thread."""
    from fakes import module

    return module.install(world)


def uninstall() -> None:
    """Undo `install`."""
    from fakes import module

    module.uninstall()


__all__ = ["install", "uninstall"]
