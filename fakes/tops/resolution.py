"""How large a TOP becomes: the words of its `outputresolution` menu and the licence's limit. Pure."""

from __future__ import annotations

from fakes.errors import NotFaked

Size = tuple[int, int]

_SCALES = {"eighth": 0.125, "quarter": 0.25, "half": 0.5, "2x": 2.0, "4x": 4.0, "8x": 8.0}


def choose(word: str | None, source: Size, custom: Size, limit: int | None) -> Size:
    """Width and height of the output.

    Args:
        word: the menu word; None for a type without that menu.
        source: what *Use Input* stands for: the input's size, or the operator's own where it has none.
        custom: `resolutionw`, `resolutionh`.
        limit: the licence's largest side in pixels, None for none (fact 44).

    Raises:
        NotFaked: an unknown word.
    """
    if word in (None, "", "useinput"):
        size = source
    elif word in _SCALES:
        size = (round(source[0] * _SCALES[word]), round(source[1] * _SCALES[word]))
    elif word == "custom":
        size = custom
    elif word == "fit":
        size = _within(source, custom, grow=True)
    elif word == "limit":
        size = _within(source, custom, grow=False)
    else:
        raise NotFaked(f"output resolution {word}")
    size = (max(1, size[0]), max(1, size[1]))
    return _within(size, (limit, limit), grow=False) if limit else size


def _within(size: Size, box: Size, grow: bool) -> Size:
    """The size scaled to fit the box, keeping its shape; never enlarged unless `grow`."""
    scale = min(box[0] / size[0], box[1] / size[1])
    if scale >= 1 and not grow:
        return size
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))


def fit_scale(word: str, source: Size, target: Size) -> tuple[float, float]:
    """Factors from the source's pixels to the target's, by a fit or fill-mode word.

    Raises:
        NotFaked: an unknown word.
    """
    x, y = target[0] / source[0], target[1] / source[1]
    match word:
        case "fill":
            return x, y
        case "fithorz" | "width":
            return x, x
        case "fitvert" | "height":
            return y, y
        case "fitbest" | "best":
            return min(x, y), min(x, y)
        case "fitoutside" | "outside" | "fitworst":
            return max(x, y), max(x, y)
        case "nativeres":
            return 1.0, 1.0
    raise NotFaked(f"fit word {word}")
