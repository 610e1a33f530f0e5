"""How this server shows that it is the one of its registry entry, without showing anything that another could repeat.

The caller sends a nonce, and gets its HMAC with a secret that only the entry holds, which only its user can read. Another
program at a port of ours, which may have asked us before, cannot answer a new nonce. The port counts in, so that it
cannot hand the nonce on to another server of the same entry either.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Final

#: The header with the nonce: 16 to 128 characters of base64 or hexadecimal.
HEADER: Final = "tdmcp-nonce"
#: The field of `/health` with the answer.
FIELD: Final = "proof"
_NONCE: Final = re.compile(r"[A-Za-z0-9_-]{16,128}")


def prove(secret: str, nonce: str, port: int) -> str:
    """The answer to a nonce, in hexadecimal; empty where there is no secret or this is no nonce.

    Args:
        port: at which the server was asked.
    """
    if not secret or _NONCE.fullmatch(nonce) is None:
        return ""
    words = f"tdmcp health 1\n{port}\n{nonce}"
    return hmac.new(secret.encode(), words.encode(), hashlib.sha256).hexdigest()
