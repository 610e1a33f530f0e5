"""What a stand-in with the component imports in the course of its start, for the fork server (see `forked`)."""

from __future__ import annotations

import gc
import importlib
import os

# Before numpy is there, as in `__main__`.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

for _name in (
    "fakes.process",
    "fakes.life",
    "fakes.scenes",
    "fakes.tox",
    "fakes.tops.drawing",
    "tox_build.expanded",
    "tdmcp_embedded.serving",
    "tdmcp_embedded.loading",
    "tdmcp_embedded.http.app",
    "tdmcp_embedded.http.dashboard",
    "tdmcp_embedded.protocol.server",
    "tdmcp_embedded.tools.table",
    "uvicorn.main",
    "uvicorn.protocols.http.h11_impl",
    "uvicorn.lifespan.on",
    "uvicorn.loops.asyncio",
    "anyio._backends._asyncio",
    "httpx2",
):
    importlib.import_module(_name)

# The catalogue is read once, too.
importlib.import_module("fakes.catalogue").types()

# Forks share what the collector does not walk.
gc.collect()
gc.freeze()
