"""Pictures as files: encoding by suffix. Files begin with the top row and hold 8 bits a channel."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from fakes.errors import NotFaked, tdError

from .image import Image, format_of

_KINDS = {".png": ".png", ".jpg": ".jpg", ".jpeg": ".jpg", ".tif": ".tiff", ".tiff": ".tiff", ".bmp": ".bmp"}
_REFUSED = frozenset({".exr", ".dds", ".hdr", ".webp", ".gif"})


def target_of(path: str, create_folders: bool) -> str:
    """The path itself, once its suffix is known to be one that can be written.

    Raises:
        tdError: the suffix means no kind of picture.
        NotFaked: a kind TD writes and the stand-in does not.
    """
    target = Path(path)
    _kind(target.suffix)
    if create_folders:
        target.parent.mkdir(parents=True, exist_ok=True)
    return path


def _kind(filetype: str) -> str:
    kind = _KINDS.get(filetype.lower())
    if filetype.lower() in _REFUSED:
        raise NotFaked(f"saving a TOP as {filetype}")
    if kind is None:
        raise tdError(f"Unsupported file type: {filetype}")
    return kind


def encode(image: Image, filetype: str, quality: float = 1.0) -> bytes:
    """The picture in the file format that a suffix such as `.png` means; quality 0–1 counts for JPEG only.

    Raises:
        tdError: no such kind of file; the dot is part of it (fact 41).
        NotFaked: a kind TD writes and the stand-in does not.
    """
    kind = _kind(filetype)
    rows = np.nan_to_num(image.pixels[::-1], nan=0.0, posinf=1.0, neginf=0.0)
    eight = np.rint(np.clip(rows, 0, 1) * 255).astype(np.uint8)
    grey = format_of(image.format).channels == "m"
    order = [0] if grey else [2, 1, 0] if kind in (".jpg", ".bmp") else [2, 1, 0, 3]
    options = [cv2.IMWRITE_JPEG_QUALITY, round(min(max(quality, 0.0), 1.0) * 100)] if kind == ".jpg" else []
    if kind == ".png":
        # Speed over size: saveByteArray encodes on the main thread.
        options = [cv2.IMWRITE_PNG_COMPRESSION, 2]
    fine, data = cv2.imencode(kind, np.ascontiguousarray(eight[..., order]), options)
    if not fine:
        raise tdError(f"Cannot write {filetype}.")
    return bytes(data.tobytes())


def save(image: Image, path: str, quality: float) -> None:
    """Write the picture to a file.

    Raises:
        tdError: the suffix means no kind of picture.
        OSError: it cannot be written.
    """
    target = Path(path)
    target.write_bytes(encode(image, target.suffix, quality))
