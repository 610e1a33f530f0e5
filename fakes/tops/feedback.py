"""Feedback: last frame's picture of another TOP, and the viewer TOP, which shows things a frame late."""

from __future__ import annotations

from dataclasses import dataclass

from fakes.cooking import CookContext, cooks
from fakes.memory import forget, recall
from fakes.nodes import Node

from . import drawing, page
from .generators import blank
from .image import Image, store


@dataclass(slots=True)
class _Held:
    """The picture held, and the frame (by tick) it was taken or asked for in."""

    image: Image | None = None
    tick: int = -1


@cooks("feedbackTOP", needs=1, time_dependent=True)
def feedback(node: Node, ctx: CookContext) -> Image:
    """What the target TOP showed last; the input until it has shown something, and while `reset` is on.

    Steps once a frame: a forced cook within the frame does not advance it (fact 11). The target is not cooked for
    it, which is why a loop through a Feedback TOP is none.
    """
    source = page.first(ctx)
    if node.value("reset"):
        forget(node)
    held = recall(node, _Held)
    target = node.value("top")
    if held.tick != ctx.world.tick:
        # The first cook ever, or after a reset, starts from the input whatever the target shows.
        shown = target.cooked if isinstance(target, Node) and held.tick >= 0 else None
        held.image = shown if isinstance(shown, Image) else None
        held.tick = ctx.world.tick
    picture = held.image or source
    if picture is None:
        return blank(node, ctx)
    frame = source or picture
    size = page.output_size(node, ctx, (frame.width, frame.height))
    return page.finish(node, page.fitted(picture, size, node), frame)


def pulse(node: Node, name: str) -> None:
    """What `resetpulse` does: the loop starts again from the input."""
    if node.type == "feedbackTOP" and name == "resetpulse":
        forget(node)
        node.changed("reset")


@cooks("opviewerTOP")
def viewer(node: Node, ctx: CookContext) -> Image:
    """Another operator's viewer, rendered at the next frame: blank in the frame in which it is first asked (fact 11)."""
    held = recall(node, _Held)
    target = node.value("opviewer") or (node.input(0) if node.inputs() else None)
    size = page.output_size(node, ctx, None)
    if isinstance(target, Node) and held.tick != ctx.world.tick:
        held.tick = ctx.world.tick

        def render() -> None:
            if node.alive and target.alive:
                held.image = _view(target, size)
                held.tick = node.world.tick
                node.changed("viewer")

        ctx.world.at_next_frame(render)
    if held.image is None:
        return blank(node, ctx)
    return page.finish(node, page.place(held.image.pixels, size), None)


def _view(target: Node, size: tuple[int, int]) -> Image:
    """A TOP fills its viewer; of the other families a labelled panel stands in."""
    if target.family == "TOP":
        picture = target.data()
        if isinstance(picture, Image):
            return store(page.place(picture.pixels, size, "fitbest"), "rgba8fixed")
    return store(drawing.placeholder(*size, target.name), "rgba8fixed")
