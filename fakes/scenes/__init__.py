"""What a stand-in project holds at the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakes.world import World


def build(scene: str, world: World) -> None:
    """Fill `/project1`: `empty`, `demo`, or `large:N` with N operators.

    Raises:
        ValueError: there is no such scene.
    """
    name, _, count = scene.partition(":")
    if name == "empty":
        return
    if name == "demo":
        from fakes.scenes import demo

        demo.build(world)
    elif name == "large":
        from fakes.scenes import large

        large.build(world, int(count))
    else:
        raise ValueError(f"there is no scene {scene!r}")
    # A project that was loaded has cooked long ago: the errors of all these operators are not the first frame's work.
    world.cooking.new_frame()
