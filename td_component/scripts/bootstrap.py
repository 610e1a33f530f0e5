"""Makes the server's code importable: from this component if it carries it, else from TouchDesigner's Python."""

from typing import Any

MISSING = (
    "The Python package tdmcp-embedded is not installed in the Python that TouchDesigner uses. "
    "Run `pip install tdmcp-embedded` for it, then pulse Restart."
)


def load(owner: Any, td: Any) -> Any:
    """Give the module that starts the server, and a sentence that its status is to carry.

    Returns:
        None while the libraries of the full build are being unpacked; `Boot` is then called again.

    Raises:
        ImportError: with a sentence for the person in front of TouchDesigner.
    """
    payload = owner.op("payload")
    if payload is not None:
        # The full build brings its own code and libraries, and unpacks them once per version.
        return payload.module.load(owner, td)
    try:
        from tdmcp_embedded import embed
    except ImportError as missing:
        if (missing.name or "").partition(".")[0] != "tdmcp_embedded":
            raise ImportError(f"tdmcp-embedded cannot be imported: {missing}") from missing
        raise ImportError(MISSING) from missing
    return embed, ""
