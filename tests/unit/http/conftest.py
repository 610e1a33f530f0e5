from __future__ import annotations

import pytest

from tests.unit.http.site import Site


@pytest.fixture
def site() -> Site:
    return Site()
