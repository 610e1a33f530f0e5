"""Makes the server's code importable: from this component if it carries it, else from TouchDesigner's Python."""

from typing import Any

MISSING = (
    "The Python package tdmcp-embedded is not installed in the Python that TouchDesigner uses. "
    "Run `pip install tdmcp-embedded` for it, then pulse Restart."
)


def load(owner: Any) -> Any:
    """Give the module that starts the server.

    Raises:
        ImportError: with a sentence for the person in front of TouchDesigner.
    """
    payload = owner.op("payload")
    if payload is not None:
        # The full build brings its own code and libraries, and unpacks them once per version.
        payload.module.unpack(owner)
    try:
        from tdmcp_embedded import embed
    except ImportError as missing:
        if (missing.name or "").partition(".")[0] != "tdmcp_embedded":
            raise ImportError(f"tdmcp-embedded cannot be imported: {missing}") from missing
        raise ImportError(MISSING) from missing
    return embed
