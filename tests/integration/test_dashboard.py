"""The dashboard in a real browser: what a person sees of a running server."""

from __future__ import annotations

import ast
import json
import re
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Browser, expect

from fakes.driver import StandIn
from tests.browser import PATIENCE_MS, Tab, tab, visit
from tests.integration.app_host import call_tool
from tests.integration.clients import JSON_HEADERS, request


@pytest.fixture
def opened(demo: StandIn, started: Browser) -> Iterator[Tab]:
    """A tab with the dashboard, as the component's pulse opens it."""
    with tab(started, permissions=["clipboard-read", "clipboard-write"]) as opened:
        visit(opened.page, demo)
        expect(opened.page.locator("#sentence")).to_contain_text("Ready")
        yield opened


def test_it_says_how_things_are_and_keeps_the_key_to_this_tab(demo: StandIn, opened: Tab) -> None:
    page = opened.page
    expect(page.locator("#project")).to_contain_text("never saved")
    expect(page.locator("#frames output")).to_contain_text("fps")
    expect(page.locator("#url")).to_have_text(demo.url)
    expect(page.locator("#own-key")).to_contain_text("level full")
    assert page.url == demo.ready["dashboard"]
    assert page.evaluate("localStorage.length + document.cookie.length") == 0
    assert str(demo.token) not in page.content()
    page.reload()
    expect(page.locator("#sentence")).to_contain_text("Ready")


def test_the_code_that_the_component_gives_the_browser_opens_it_once(demo: StandIn, started: Browser) -> None:
    made = "next(iter(__import__('tdmcp_embedded.embed').embed._servers.values()))._serving._codes.make()"
    code = ast.literal_eval(demo.exec(made))
    address = f"{demo.ready['dashboard']}#code={code}"
    with tab(started) as opened:
        opened.page.goto(address)
        expect(opened.page.locator("#sentence")).to_contain_text("Ready")
        assert opened.page.url == demo.ready["dashboard"]
        assert code not in " ".join(opened.requests)
        opened.page.reload()
        expect(opened.page.locator("#sentence")).to_contain_text("Ready")
    with tab(started) as second:
        second.page.goto(address)
        expect(second.page.locator("#key-reason")).to_contain_text("one visit within a minute")
        second.complaints.clear()  # the browser notes the refusal


def test_it_loads_nothing_from_anywhere_else(demo: StandIn, opened: Tab) -> None:
    expect(opened.page.locator("#viewer [role=option]").first).to_be_attached()
    assert all(url.startswith((demo.ready["dashboard"], "data:", "blob:")) for url in opened.requests)
    assert str(demo.token) not in " ".join(opened.requests)
    answer = request(str(demo.ready["dashboard"]))
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy and "http" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_call_made_a_moment_ago_is_there_with_its_outcome_and_time(demo: StandIn, opened: Tab) -> None:
    page = opened.page
    call_tool(demo, "create_operator", parent="/project1", type="nullTOP", name="just_now")
    row = page.locator("#calls tbody tr", has_text="create_operator").first
    expect(row).to_contain_text("/project1")
    expect(row.locator("td").nth(2)).to_have_text("ok")
    assert float(row.locator("td").nth(3).inner_text()) > 0
    call_tool(demo, "set_parameters", changes=[{"path": "/project1/blur1", "params": {"siez": 3}}])
    failed = page.locator("#calls tbody tr", has_text="parameter not found")
    expect(failed.first).to_contain_text("/project1/blur1")
    page.get_by_label("Only failures").check()
    expect(page.locator("#calls tbody tr", has_text="create_operator")).to_have_count(0)
    expect(failed.first).to_be_visible()
    expect(page.locator("#clients tr", has_text="agent 1")).to_contain_text("owner")


def test_a_stalled_main_thread_is_said_in_words_and_so_is_its_end(demo: StandIn, opened: Tab) -> None:
    page = opened.page
    with demo.blocked():
        expect(page.locator("#sentence")).to_contain_text("stopped showing frames")
        expect(page.locator("#advice")).to_contain_text("dialog is open")
        expect(page.locator("#viewer .nv-note")).to_be_visible()
        expect(page.locator("#frames output")).to_have_text("no frames")
    expect(page.locator("#sentence")).to_contain_text("Ready")
    expect(page.locator("#viewer .nv-note")).to_be_hidden()


def test_a_wrong_key_is_refused_in_words_and_the_right_one_opens_the_page(
    demo: StandIn, started: Browser
) -> None:
    with tab(started) as opened:
        page = opened.page
        visit(page, demo, "not-the-key")
        expect(page.locator("#key-reason")).to_contain_text("not valid")
        expect(page.locator("#main")).to_be_hidden()
        page.get_by_role("textbox", name="Access key").fill(str(demo.token))
        page.get_by_role("button", name="Open", exact=True).click()
        expect(page.locator("#sentence")).to_contain_text("Ready")
        expect(page.locator("#ask-key")).to_be_hidden()


def test_without_a_key_nothing_is_told(demo: StandIn, started: Browser) -> None:
    for path in ("me", "events", "network", "previews", "operator", "errors"):
        assert request(f"{demo.ready['dashboard']}api/{path}").status == 401
    assert (
        request(
            f"{demo.ready['dashboard']}api/renew", "POST", b"{}", {"Content-Type": "application/json"}
        ).status
        == 401
    )
    with tab(started) as opened:
        opened.page.goto(str(demo.ready["dashboard"]))
        expect(opened.page.locator("#key-reason")).to_contain_text("access key")


def test_looking_leaves_nothing_behind_and_takes_nothing_from_a_performance(demo: StandIn) -> None:
    asked = f"{demo.ready['dashboard']}api/previews"
    paths = (
        "?path=/project1/circle1&path=/project1/lfo1&path=/project1/nowhere&path=/project1/notes&any_cost=1"
    )
    before = demo.stats()
    looks = json.loads(fetch(asked + paths, demo))["previews"]
    assert looks["/project1/circle1"]["image"].startswith("data:image/png;base64,")
    assert [curve["name"] for curve in looks["/project1/lfo1"]["curves"]] == ["chan1"]
    assert set(looks) == {"/project1/circle1", "/project1/lfo1"}
    after = demo.stats()
    assert (after["operators"], after["undo_depth"]) == (before["operators"], before["undo_depth"])
    demo.do("perform", on=True)
    eventually(lambda: json.loads(fetch(asked + paths, demo))["previews"] == {})
    demo.do("perform", on=False)
    eventually(lambda: json.loads(fetch(asked + paths, demo))["previews"] != {})


def fetch(url: str, demo: StandIn) -> bytes:
    """A GET with a query, which the raw client of the other tests leaves out."""
    with urlopen(Request(url, headers=demo.headers), timeout=PATIENCE_MS / 1000) as answer:
        body: bytes = answer.read()
        return body


def eventually(true: Callable[[], bool]) -> None:
    """Until it is true; the server samples such facts twice a second."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while not true():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_what_is_copied_has_the_key_and_what_is_shown_has_not(demo: StandIn, opened: Tab) -> None:
    page = opened.page
    page.get_by_label("Client", exact=True).select_option("Claude Code")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("claude mcp add") and demo.url in copied and f"Bearer {demo.token}" in copied
    for name in page.locator("#client option").all_inner_texts():
        page.get_by_label("Client", exact=True).select_option(name)
        assert str(demo.token) not in page.locator("#snippet").inner_text()


def test_errors_in_the_project_are_found_and_lead_to_their_operator(demo: StandIn, opened: Tab) -> None:
    page = opened.page
    demo.exec("op('/project1/controls/circle1').par.radiusy.expr = 'nothing_of_that_name'")
    demo.exec("op('/project1/controls/circle1').cook(force=True)")
    page.get_by_role("button", name="Check now").click()
    found = page.locator("#errors button", has_text="/project1/controls/circle1")
    found.first.click()
    expect(page.locator(".nv-details h3")).to_contain_text("circle1")
    expect(page.locator(".nv-details .nv-problems")).to_contain_text("nothing_of_that_name")
    demo.exec("op('/project1/controls/circle1').par.radiusy.expr = 'parent().par.Size'")


@pytest.mark.parametrize(("button", "outcome"), [("Allow", "code="), ("Refuse", "error=access_denied")])
def test_an_agent_that_asks_to_be_let_in_is_decided_upon_here(
    demo: StandIn, opened: Tab, started: Browser, button: str, outcome: str
) -> None:
    site, back = str(demo.ready["dashboard"]), "http://127.0.0.1:45871/callback"
    metadata = {"client_name": "A far agent", "redirect_uris": [back], "token_endpoint_auth_method": "none"}
    registered = request(f"{site}register", "POST", json.dumps(metadata).encode(), JSON_HEADERS)
    asked = {
        "response_type": "code", "client_id": registered.json["client_id"], "redirect_uri": back, "state": "x",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
    }  # fmt: skip
    waiting = leads_to(f"{site}authorize?{urlencode(asked)}")
    question = opened.page.locator("#consents")
    expect(question).to_contain_text("A far agent")
    with tab(started) as agents:
        # The person before the agent's browser wants it to get less, and is sent back to the agent in the end.
        agents.page.goto(waiting)
        expect(agents.page.locator("body")).to_contain_text("(level edit)")
        agents.page.get_by_role("button", name="(observe)").click()
        expect(agents.page.locator("body")).to_contain_text("(level observe)")
        expect(question).to_contain_text("asks for level observe")
        with agents.page.expect_request(lambda sent: sent.url.startswith(back)) as sent_back:
            question.get_by_role("button", name=button).click()
        assert outcome in sent_back.value.url
        agents.complaints.clear()  # there is no agent
    expect(question).to_be_hidden()


def test_a_browser_whose_agent_is_not_known_is_told_what_to_do(demo: StandIn, started: Browser) -> None:
    with tab(started) as agents:
        asked = "response_type=code&client_id=forgotten&code_challenge=x"
        agents.page.goto(f"{demo.ready['dashboard']}authorize?{asked}")
        expect(agents.page.locator("h1")).to_have_text("This server does not know the agent")
        expect(agents.page.locator("li", has_text="mcp-remote")).to_contain_text(".mcp-auth")
        agents.complaints.clear()  # the browser notes the refusal


def leads_to(url: str) -> str:
    """Where a browser is sent from there."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=PATIENCE_MS / 1000)
    try:
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        answer.read()
        return str(answer.getheader("Location"))
    finally:
        connection.close()


def test_a_server_that_goes_away_is_missed_and_found_again(demo: StandIn, opened: Tab) -> None:
    component = f"op({demo.ready['component']!r})"
    demo.exec(f"{component}.par.Active = False")
    try:
        expect(opened.page.locator("#sentence")).to_contain_text("does not answer")
    finally:
        demo.exec(f"{component}.par.Port = {demo.ready['port']}; {component}.par.Active = True")
    expect(opened.page.locator("#sentence")).to_contain_text("Ready")


# Last, since it changes the key of this module's server.
def test_renewing_the_key_ends_the_old_one_and_this_page_goes_on(demo: StandIn, opened: Tab) -> None:
    page = opened.page
    page.get_by_role("button", name=re.compile("Renew this key")).click()
    page.get_by_role("button", name="Renew it").click()
    expect(page.locator("#renewed")).to_contain_text("Done")
    assert request(f"{demo.ready['dashboard']}api/me", headers=demo.headers).status == 401
    fresh = page.evaluate("sessionStorage.getItem('tdmcp.key')")
    assert fresh != demo.token
    demo.ready["token"] = fresh
    assert request(f"{demo.ready['dashboard']}api/me", headers=demo.headers).status == 200
    call_tool(demo, "create_operator", parent="/project1", type="nullTOP", name="after_renewal")
    expect(page.locator("#viewer [role=option]", has_text="after_renewal")).to_be_attached()
