"""What a stand-in project holds at the start."""

from __future__ import annotations

import sys
from pathlib import Path
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


def open_project(place: Path, world: World) -> None:
    """Open an expanded component or project as the scene; what is not known is listed on standard error.

    Raises:
        SystemExit: the folder is no expanded component or project.
    """
    from fakes import project_folder

    try:
        unknown = project_folder.open_folder(world, place)
    except (ValueError, OSError) as problem:
        raise SystemExit(f"--project: {problem}") from None
    for sentence in unknown:
        print(f"not known: {sentence}", file=sys.stderr)
    world.cooking.new_frame()
