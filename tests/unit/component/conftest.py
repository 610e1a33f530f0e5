"""What the component's tests share."""

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of the test's own: starting a server writes its log there."""
    monkeypatch.setenv("TDMCP_HOME", str(tmp_path / "home"))
    return tmp_path / "home"
