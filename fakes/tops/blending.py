"""The operations by which one picture is composited with another (the words of TD's `operand` menus).

Each takes two premultiplied pictures of one shape, float32 [h, w, 4]: `a` is input 1 and `b` input 2. Those with
a formula in TD's documentation follow it; the photographic modes follow their common definitions on colour with
`over` alpha. Words nobody has described publicly are not faked.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]
Operation = Callable[[Floats, Floats], Floats]

_LUMA = np.array([0.299, 0.587, 0.114], dtype=np.float32)
_TINY = np.float32(1e-6)


def _alpha(picture: Floats) -> Floats:
    return np.asarray(picture[..., 3:4], dtype=np.float32)


def _luma(picture: Floats) -> Floats:
    return np.asarray((picture[..., :3] @ _LUMA)[..., None], dtype=np.float32)


def _divide(a: Floats, b: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.nan_to_num(a / b, nan=0.0, posinf=1.0, neginf=0.0), dtype=np.float32)


def _with_alpha(rgb: Floats, alpha: Floats | float) -> Floats:
    out = np.empty(rgb.shape[:2] + (4,), dtype=np.float32)
    out[..., :3] = rgb[..., :3]
    out[..., 3:4] = alpha
    return out


def over(a: Floats, b: Floats) -> Floats:
    """Input 1 on top of input 2."""
    return np.asarray(a + b * (1 - np.clip(_alpha(a), 0, 1)), dtype=np.float32)


def _photographic(mode: Callable[[Floats, Floats], Floats]) -> Operation:
    """A mode given on opaque colour, with input 1 as the layer, made to respect both alphas."""

    def operate(a: Floats, b: Floats) -> Floats:
        alpha_a, alpha_b = np.clip(_alpha(a), 0, 1), np.clip(_alpha(b), 0, 1)
        straight_a, straight_b = (
            np.clip(_divide(a[..., :3], np.maximum(alpha_a, _TINY)), 0, 1),
            np.clip(_divide(b[..., :3], np.maximum(alpha_b, _TINY)), 0, 1),
        )
        mixed = np.clip(mode(straight_a, straight_b), 0, 1)
        rgb = mixed * alpha_a * alpha_b + a[..., :3] * (1 - alpha_b) + b[..., :3] * (1 - alpha_a)
        return _with_alpha(np.asarray(rgb, dtype=np.float32), alpha_a + alpha_b - alpha_a * alpha_b)

    return operate


def _hard_light(a: Floats, b: Floats) -> Floats:
    return np.where(a < 0.5, 2 * a * b, 1 - 2 * (1 - a) * (1 - b)).astype(np.float32)


def _soft_light(a: Floats, b: Floats) -> Floats:
    return np.asarray((1 - 2 * a) * b * b + 2 * a * b, dtype=np.float32)


def _burn(a: Floats, b: Floats) -> Floats:
    return np.asarray(1 - np.minimum(1, (1 - b) / np.maximum(a, _TINY)), dtype=np.float32)


def _dodge(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.minimum(1, b / np.maximum(1 - a, _TINY)), dtype=np.float32)


def _vivid(a: Floats, b: Floats) -> Floats:
    return np.where(a < 0.5, _burn(2 * a, b), _dodge(2 * a - 1, b)).astype(np.float32)


def _pin(a: Floats, b: Floats) -> Floats:
    return np.where(a < 0.5, np.minimum(b, 2 * a), np.maximum(b, 2 * a - 1)).astype(np.float32)


def _glow(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.minimum(1, a * a / np.maximum(1 - b, _TINY)), dtype=np.float32)


def _freeze(a: Floats, b: Floats) -> Floats:
    return np.asarray(1 - np.minimum(1, (1 - b) ** 2 / np.maximum(a, _TINY)), dtype=np.float32)


def _with_luma(rgb: Floats, luma: Floats) -> Floats:
    """A colour given another brightness, drawn back into range towards that brightness."""
    moved = rgb + (luma - _luma(rgb))
    lowest, highest = moved.min(axis=-1, keepdims=True), moved.max(axis=-1, keepdims=True)
    down = np.where(lowest < 0, luma / np.maximum(luma - lowest, _TINY), 1)
    up = np.where(highest > 1, (1 - luma) / np.maximum(highest - luma, _TINY), 1)
    return np.asarray(luma + (moved - luma) * np.minimum(down, up), dtype=np.float32)


def _with_saturation(rgb: Floats, saturation: Floats) -> Floats:
    """A colour whose channels span `saturation`, the lowest at nothing."""
    low = rgb.min(axis=-1, keepdims=True)
    span = rgb.max(axis=-1, keepdims=True) - low
    return np.asarray(
        np.where(span > 0, (rgb - low) * saturation / np.maximum(span, _TINY), 0), dtype=np.float32
    )


def _hue(a: Floats, b: Floats) -> Floats:
    span = np.asarray(b.max(axis=-1, keepdims=True) - b.min(axis=-1, keepdims=True), dtype=np.float32)
    return _with_luma(_with_saturation(a, span), _luma(b))


def _pick(lighter: bool) -> Operation:
    def operate(a: Floats, b: Floats) -> Floats:
        first = _luma(a) >= _luma(b) if lighter else _luma(a) <= _luma(b)
        return np.where(first, a, b).astype(np.float32)

    return operate


OPERATIONS: dict[str, Operation] = {
    "add": lambda a, b: a + b,
    "atop": lambda a, b: np.asarray(a * _alpha(b) + b * (1 - _alpha(a)), dtype=np.float32),
    "average": lambda a, b: np.asarray((a + b) / 2, dtype=np.float32),
    "brightest": _pick(lighter=True),
    "burncolor": _photographic(_burn),
    "burnlinear": _photographic(lambda a, b: a + b - 1),
    "color": _photographic(lambda a, b: _with_luma(a, _luma(b))),
    "darkercolor": _pick(lighter=False),
    "difference": lambda a, b: _with_alpha(np.abs(a - b), 1.0),
    "dimmest": _pick(lighter=False),
    "divide": _divide,
    "dodge": _photographic(_dodge),
    "exclude": _photographic(lambda a, b: a + b - 2 * a * b),
    "freeze": _photographic(_freeze),
    "glow": _photographic(_glow),
    "hardlight": _photographic(_hard_light),
    "hardmix": _photographic(lambda a, b: (a + b >= 1).astype(np.float32)),
    "heat": _photographic(lambda a, b: _freeze(b, a)),
    "hue": _photographic(_hue),
    "inside": lambda a, b: np.asarray(a * np.clip(_alpha(b), 0, 1), dtype=np.float32),
    "insideluminance": lambda a, b: np.asarray(a * np.clip(_luma(b), 0, 1), dtype=np.float32),
    "lightercolor": _pick(lighter=True),
    "linearlight": _photographic(lambda a, b: b + 2 * a - 1),
    "maximum": lambda a, b: np.maximum(a, b),
    "minimum": lambda a, b: np.minimum(a, b),
    "multiply": lambda a, b: a * b,
    "negate": _photographic(lambda a, b: 1 - np.abs(1 - a - b)),
    "outside": lambda a, b: np.asarray(a * (1 - np.clip(_alpha(b), 0, 1)), dtype=np.float32),
    "outsideluminance": lambda a, b: np.asarray(a * (1 - np.clip(_luma(b), 0, 1)), dtype=np.float32),
    "over": over,
    "overlay": _photographic(lambda a, b: _hard_light(b, a)),
    "pinlight": _photographic(_pin),
    "reflect": _photographic(lambda a, b: _glow(b, a)),
    "screen": lambda a, b: np.asarray(1 - (1 - a) * (1 - b), dtype=np.float32),
    "softlight": _photographic(_soft_light),
    "subtract": lambda a, b: a - b,
    "subtractive": _photographic(lambda a, b: a + b - 1),
    "under": lambda a, b: over(b, a),
    "vividlight": _photographic(_vivid),
    "xor": lambda a, b: np.asarray(
        a * (1 - np.clip(_alpha(b), 0, 1)) + b * (1 - np.clip(_alpha(a), 0, 1)), dtype=np.float32
    ),
}
