"""What the component's tests share."""

import pytest

from tdmcp_embedded import embed, pump, serving
from tests.unit.component.host import Host, Owner, Server


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of the test's own: starting a server writes its log there."""
    monkeypatch.setenv("TDMCP_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def td():
    return Host()


@pytest.fixture(autouse=True)
def clean():
    Server.made = []
    yield
    for server in list(embed._servers.values()):
        server.stop()
    embed._ending.clear()


@pytest.fixture
def boot(td, monkeypatch):
    monkeypatch.setattr(serving, "Serving", Server)
    monkeypatch.setattr(embed, "_clock", td.clock)
    monkeypatch.setattr(pump, "_clock", td.clock)
    # The tests count in frames.
    monkeypatch.setattr(embed, "EVERY_FRAMES", 1)

    def boot(owner=None, values=None, **more):
        return embed.start(owner or Owner(), td, values, **more)

    return boot
