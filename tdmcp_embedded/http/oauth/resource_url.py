"""Whether two addresses of a resource are the same (RFC 8707), however they are written."""

from __future__ import annotations

from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}


def same_url(one: str, other: str) -> bool:
    """Whether two URLs are the same: upper case in scheme and host, the scheme's own port and a slash at the end of the
    path make no difference. One that is malformed, or has a user or a fragment, is never the same."""
    parts = _parts(one)
    return parts is not None and parts == _parts(other)


def _parts(url: str) -> tuple[str, str, int | None, str, str] | None:
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError:
        return None
    if not split.hostname or split.username is not None or "#" in url or url != url.strip():
        return None
    return split.scheme, split.hostname, port or _PORTS.get(split.scheme), split.path.rstrip("/"), split.query
