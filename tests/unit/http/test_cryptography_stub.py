"""The SDK is imported where there is no `cryptography`, and nobody else sees a difference."""

from __future__ import annotations

import subprocess
import sys

import pytest

HIDE = """
import sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "cryptography":
            raise {error}
sys.meta_path.insert(0, Hide())
"""
USE = """
from tdmcp_embedded.http.cryptography_stub import import_sdk
import_sdk()
import_sdk()
from mcp.server import request_state
from mcp.server.lowlevel import Server
print([name for name in sys.modules if name.partition(".")[0] == "cryptography"])
try:
    request_state.AESGCMRequestStateCodec([b"k" * 32])
except RuntimeError as error:
    print(error)
"""


@pytest.mark.parametrize(
    "error", ["ModuleNotFoundError(name)", "OSError('its machine code does not load')", "ImportError('x')"]
)
def test_the_sdk_gets_stubs_that_refuse_and_other_components_see_none_of_them(error: str) -> None:
    code = HIDE.format(error=error) + USE
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[]",
        "SHA256: the Python of this TouchDesigner has no cryptography",
    ]


def test_with_cryptography_the_sdk_has_the_real_one() -> None:
    code = "import sys\n" + USE.partition("try:")[0] + "print(request_state.AESGCM.__module__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].startswith("cryptography.")
