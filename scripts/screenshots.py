"""Makes the pictures of the documentation from the real pages: `python -m scripts.screenshots` (needs Chromium).

Starts the stand-in with its demo project, lets an agent do a few things in it, and looks at the pages with a browser.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from fakes.driver import StandIn
from tests.browser import browser, operator, tab, visit
from tests.integration.app_host import Host, call_tool

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    # A wide budget, so that even a slow machine has pictures on all tiles.
    with StandIn("--scene", "demo", "--set", "Budgetms=100") as td, browser() as started:
        _work(td)
        for scheme in ("light", "dark"):
            _dashboard(td, started, scheme)
        _app(td, started)
        _stalled(td, started)
    return 0


def _work(td: StandIn) -> None:
    """What an agent may have done before somebody looks: good things, and two mistakes."""
    _do(td, "get_status")
    _do(
        td,
        "build_network",
        path="/project1",
        operators=[
            {"name": "ramp1", "type": "rampTOP", "position": [0, -140]},
            {"name": "sharpen", "type": "levelTOP", "position": [200, -140], "inputs": ["ramp1"]},
        ],
    )
    call_tool(td, "set_parameters", changes=[{"path": "/project1/blur1", "params": {"siez": 8}}])
    _do(td, "set_parameters", changes=[{"path": "/project1/blur1", "params": {"size": 8}}])
    _do(
        td, "set_parameters", changes=[{"path": "/project1/math1", "params": {"gain": {"expr": "nothing()"}}}]
    )
    td.exec("op('/project1/math1').cook(force=True)")
    _do(td, "capture_image", path="/project1/null1")
    _do(td, "check_errors", path="/project1")


def _do(td: StandIn, tool: str, /, **arguments: Any) -> None:
    result = call_tool(td, tool, **arguments)
    assert not result.get("isError"), result


def _dashboard(td: StandIn, started: Browser, scheme: str) -> None:
    with tab(started, color_scheme=scheme, viewport={"width": 1500, "height": 1020}) as opened:
        page = _open(td, opened.page)
        call_tool(td, "set_parameters", changes=[{"path": "/project1/level1", "params": {"opacity": 0.9}}])
        page.wait_for_function("() => dashboard.viewer.previews.looks.get('/project1/null1')?.image")
        page.wait_for_function("() => dashboard.frames.series[0].length >= 6")
        page.evaluate("dashboard.viewer.select(dashboard.viewer.model.byPath.get('/project1/noise1'))")
        page.wait_for_function("() => document.querySelector('.nv-details table')")
        _look_at(page, ["/project1/noise1", "/project1/null1", "/project1/ramp1", "/project1/controls"])
        _save(lambda path: page.screenshot(path=path), f"dashboard-{scheme}.png")


def _app(td: StandIn, started: Browser) -> None:
    with tab(started, viewport={"width": 860, "height": 480}) as opened:
        host = Host(td, opened, context={"theme": "dark"})
        host.open("read_network", path="/project1")
        operator(host.app, "null1").wait_for(state="attached")
        # As many pictures as an app takes at first, and time for them to come.
        opened.page.wait_for_timeout(12_000)
        _save(lambda path: opened.page.screenshot(path=path), "app-dark.png")


def _stalled(td: StandIn, started: Browser) -> None:
    with tab(started, color_scheme="light", viewport={"width": 1500, "height": 640}) as opened:
        page = _open(td, opened.page)
        blocker = threading.Thread(target=lambda: td.do("block_main", timeout=60, seconds=9))
        blocker.start()
        page.wait_for_function("() => document.body.dataset.state === 'stalled'")
        page.locator(".nv-note:not([hidden])").wait_for()
        page.wait_for_timeout(2500)
        _save(lambda path: page.screenshot(path=path), "dashboard-stalled.png")
        blocker.join(60)


def _open(td: StandIn, page: Page) -> Page:
    visit(page, td)
    page.locator("[role=option]").first.wait_for(state="attached")
    return page


def _look_at(page: Page, paths: list[str]) -> None:
    page.evaluate(
        """(paths) => {
          const { viewer } = dashboard;
          const seen = paths.map((path) => viewer.model.byPath.get(path));
          const left = Math.min(...seen.map((op) => op.x)), right = Math.max(...seen.map((op) => op.x + op.w));
          const top = Math.min(...seen.map((op) => op.y)), bottom = Math.max(...seen.map((op) => op.y + op.h));
          viewer.camera.fit({ x: left, y: top, w: right - left, h: bottom - top });
        }""",
        paths,
    )
    page.wait_for_timeout(4000)


def _save(shoot: Callable[[str], object], name: str) -> None:
    shoot(str(FOLDER / name))
    print(FOLDER / name, (FOLDER / name).stat().st_size // 1000, "kB")


if __name__ == "__main__":
    sys.exit(main())
