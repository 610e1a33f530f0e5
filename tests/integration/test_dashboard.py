"""The dashboard in a real browser: what a person sees of a running server."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, Page, expect

from fakes.driver import StandIn
from tests.browser import PATIENCE_MS, Tab, browser, tab
from tests.integration.app_host import call_tool
from tests.integration.clients import request

expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="module")
def td() -> Iterator[StandIn]:
    with StandIn("--scene", "demo") as stand_in:
        yield stand_in
        assert stand_in.stats()["thread_conflicts"] == 0


@pytest.fixture(scope="module")
def started() -> Iterator[Browser]:
    with browser() as started:
        yield started


@pytest.fixture
def opened(td: StandIn, started: Browser) -> Iterator[Tab]:
    """A tab with the dashboard, as the component's pulse opens it."""
    with tab(started, permissions=["clipboard-read", "clipboard-write"]) as opened:
        visit(opened.page, td)
        expect(opened.page.locator("#sentence")).to_contain_text("Ready")
        yield opened


def visit(page: Page, td: StandIn, key: str | None = None) -> None:
    page.goto(f"{td.ready['dashboard']}#key={td.token if key is None else key}")


def test_it_says_how_things_are_and_keeps_the_key_to_this_tab(td: StandIn, opened: Tab) -> None:
    page = opened.page
    expect(page.locator("#project")).to_contain_text("never saved")
    expect(page.locator("#frames output")).to_contain_text("fps")
    expect(page.locator("#url")).to_have_text(td.url)
    expect(page.locator("#own-key")).to_contain_text("level full")
    assert page.url == td.ready["dashboard"]
    assert page.evaluate("localStorage.length + document.cookie.length") == 0
    assert str(td.token) not in page.content()
    page.reload()
    expect(page.locator("#sentence")).to_contain_text("Ready")


def test_it_loads_nothing_from_anywhere_else(td: StandIn, opened: Tab) -> None:
    expect(opened.page.locator("#viewer [role=option]").first).to_be_attached()
    assert all(url.startswith((td.ready["dashboard"], "data:", "blob:")) for url in opened.requests)
    assert str(td.token) not in " ".join(opened.requests)
    answer = request(str(td.ready["dashboard"]))
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "http" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_call_made_a_moment_ago_is_there_with_its_outcome_and_time(td: StandIn, opened: Tab) -> None:
    page = opened.page
    call_tool(td, "create_operator", parent="/project1", type="nullTOP", name="just_now")
    row = page.locator("#calls tbody tr", has_text="create_operator").first
    expect(row).to_contain_text("/project1")
    expect(row.locator("td").nth(2)).to_have_text("ok")
    assert float(row.locator("td").nth(3).inner_text()) > 0
    call_tool(td, "set_parameters", changes=[{"path": "/project1/blur1", "params": {"siez": 3}}])
    failed = page.locator("#calls tbody tr", has_text="parameter not found")
    expect(failed.first).to_contain_text("/project1/blur1")
    page.get_by_label("Only failures").check()
    expect(page.locator("#calls tbody tr", has_text="create_operator")).to_have_count(0)
    expect(failed.first).to_be_visible()
    expect(page.locator("#clients tr", has_text="agent 1")).to_contain_text("owner")


def test_a_stalled_main_thread_is_said_in_words_and_so_is_its_end(td: StandIn, opened: Tab) -> None:
    page = opened.page
    blocker = threading.Thread(target=lambda: td.do("block_main", timeout=60, seconds=8))
    blocker.start()
    expect(page.locator("#sentence")).to_contain_text("stopped showing frames")
    expect(page.locator("#advice")).to_contain_text("dialog is open")
    expect(page.locator("#viewer .nv-note")).to_be_visible()
    expect(page.locator("#frames output")).to_have_text("no frames")
    blocker.join(60)
    expect(page.locator("#sentence")).to_contain_text("Ready")
    expect(page.locator("#viewer .nv-note")).to_be_hidden()


def test_a_wrong_key_is_refused_in_words_and_the_right_one_opens_the_page(
    td: StandIn, started: Browser
) -> None:
    with tab(started) as opened:
        page = opened.page
        visit(page, td, "not-the-key")
        expect(page.locator("#key-reason")).to_contain_text("not valid")
        expect(page.locator("#main")).to_be_hidden()
        page.get_by_role("textbox", name="Access key").fill(str(td.token))
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.locator("#sentence")).to_contain_text("Ready")
        expect(page.locator("#ask-key")).to_be_hidden()


def test_without_a_key_nothing_is_told(td: StandIn, started: Browser) -> None:
    for path in ("me", "events", "network", "previews", "operator", "errors"):
        assert request(f"{td.ready['dashboard']}api/{path}").status == 401
    assert (
        request(
            f"{td.ready['dashboard']}api/renew", "POST", b"{}", {"Content-Type": "application/json"}
        ).status
        == 401
    )
    with tab(started) as opened:
        opened.page.goto(str(td.ready["dashboard"]))
        expect(opened.page.locator("#key-reason")).to_contain_text("access key")


def test_looking_leaves_nothing_behind_and_takes_nothing_from_a_performance(td: StandIn) -> None:
    asked = f"{td.ready['dashboard']}api/previews"
    paths = (
        "?path=/project1/circle1&path=/project1/lfo1&path=/project1/nowhere&path=/project1/notes&any_cost=1"
    )
    before = td.stats()
    looks = json.loads(fetch(asked + paths, td))["previews"]
    assert looks["/project1/circle1"]["image"].startswith("data:image/png;base64,")
    assert [curve["name"] for curve in looks["/project1/lfo1"]["curves"]] == ["chan1"]
    assert set(looks) == {"/project1/circle1", "/project1/lfo1"}
    after = td.stats()
    assert (after["operators"], after["undo_depth"]) == (before["operators"], before["undo_depth"])
    td.do("perform", on=True)
    eventually(lambda: json.loads(fetch(asked + paths, td))["previews"] == {})
    td.do("perform", on=False)
    eventually(lambda: json.loads(fetch(asked + paths, td))["previews"] != {})


def fetch(url: str, td: StandIn) -> bytes:
    """A GET with a query, which the raw client of the other tests leaves out."""
    with urlopen(Request(url, headers=td.headers), timeout=PATIENCE_MS / 1000) as answer:
        body: bytes = answer.read()
        return body


def eventually(true: Callable[[], bool]) -> None:
    """Until it is true; the server samples such facts twice a second."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_what_is_copied_has_the_key_and_what_is_shown_has_not(td: StandIn, opened: Tab) -> None:
    page = opened.page
    page.get_by_label("Client", exact=True).select_option("Claude Code")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("claude mcp add") and td.url in copied and f"Bearer {td.token}" in copied
    for name in page.locator("#client option").all_inner_texts():
        page.get_by_label("Client", exact=True).select_option(name)
        assert str(td.token) not in page.locator("#snippet").inner_text()


def test_errors_in_the_project_are_found_and_lead_to_their_operator(td: StandIn, opened: Tab) -> None:
    page = opened.page
    td.exec("op('/project1/controls/circle1').par.radiusy.expr = 'nothing_of_that_name'")
    td.exec("op('/project1/controls/circle1').cook(force=True)")
    page.get_by_role("button", name="Check now").click()
    found = page.locator("#errors button", has_text="/project1/controls/circle1")
    found.first.click()
    expect(page.locator(".nv-details h3")).to_contain_text("circle1")
    expect(page.locator(".nv-details .nv-problems")).to_contain_text("nothing_of_that_name")
    td.exec("op('/project1/controls/circle1').par.radiusy.expr = 'parent().par.Size'")


def test_a_server_that_goes_away_is_missed_and_found_again(started: Browser) -> None:
    with StandIn("--scene", "empty") as own, tab(started) as opened:
        visit(opened.page, own)
        expect(opened.page.locator("#sentence")).to_contain_text("Ready")
        own.exec("op('/project1/tdmcp').par.Active = False")
        expect(opened.page.locator("#sentence")).to_contain_text("does not answer")
        own.exec(f"op('/project1/tdmcp').par.Port = {own.ready['port']}")
        own.exec("op('/project1/tdmcp').par.Active = True")
        expect(opened.page.locator("#sentence")).to_contain_text("Ready")


# Last, since it changes the key of this module's server.
def test_renewing_the_key_ends_the_old_one_and_this_page_goes_on(td: StandIn, opened: Tab) -> None:
    page = opened.page
    page.get_by_role("button", name=re.compile("Renew this key")).click()
    page.get_by_role("button", name="Renew it").click()
    expect(page.locator("#renewed")).to_contain_text("Done")
    assert request(f"{td.ready['dashboard']}api/me", headers=td.headers).status == 401
    fresh = page.evaluate("sessionStorage.getItem('tdmcp.key')")
    assert fresh != td.token
    td.ready["token"] = fresh
    assert request(f"{td.ready['dashboard']}api/me", headers=td.headers).status == 200
    call_tool(td, "create_operator", parent="/project1", type="nullTOP", name="after_renewal")
    expect(page.locator("#viewer [role=option]", has_text="after_renewal")).to_be_attached()
