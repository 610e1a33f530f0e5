"""The network viewer in a real browser: in the dashboard, and as an MCP App in a client's sandboxed frame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from fakes.driver import StandIn
from tests.browser import operator, tab, visit
from tests.integration.app_host import NETWORK, Host, call, call_tool, document

#: An app is sent through the client's own connection, and kept by it.
MOST_BYTES = 150_000


@pytest.fixture
def page(demo: StandIn, started: Browser) -> Iterator[Page]:
    """The dashboard, showing `/project1`."""
    with tab(started) as opened:
        visit(opened.page, demo)
        expect(operator(opened.page, "noise1")).to_be_attached()
        yield opened.page


def test_the_demo_network_is_there_with_names_types_and_wires(page: Page) -> None:
    expect(operator(page, "noise1")).to_have_text("noise1, noiseTOP; to level1")
    expect(operator(page, "level1")).to_contain_text("from noise1; to blur1")
    expect(operator(page, "comp1")).to_contain_text("from circle1, blur1; to null1")
    expect(operator(page, "controls")).to_contain_text("2 operators inside")
    expect(page.locator(".nv-summary")).to_contain_text("operators")
    assert page.locator("[role=option]").count() >= 20


def test_tiles_have_their_family_s_colour_and_top_and_chop_show_what_they_hold(page: Page) -> None:
    page.wait_for_function(
        "() => { const looks = dashboard.viewer.previews.looks;"
        " return looks.get('/project1/circle1')?.image && looks.get('/project1/lfo1')?.curves; }"
    )
    top, chop, middle = page.evaluate(
        """() => {
          const { viewer } = dashboard;
          viewer.paint();
          const ratio = viewer.canvas.width / viewer.canvas.clientWidth;
          const at = (path, fx, fy) => {
            const op = viewer.model.byPath.get(path);
            const { x, y, scale } = viewer.camera.view;
            const px = (op.x + op.w * fx - x) * scale * ratio, py = (op.y + op.h * fy - y) * scale * ratio;
            return [...viewer.painter.context.getImageData(px, py, 1, 1).data].slice(0, 3);
          };
          return [at("/project1/circle1", 0.95, 0.985), at("/project1/lfo1", 0.95, 0.985), at("/project1/circle1", 0.5, 0.28)];
        }"""
    )
    assert top[2] > top[1] + 40, f"purple: {top}"
    assert chop[1] > chop[0] + 30 and chop[1] > chop[2] + 30, f"green: {chop}"
    assert min(middle) > 200, f"the white circle in the picture: {middle}"


def test_an_error_is_shown_where_it_is_and_goes_when_it_is_mended(demo: StandIn, page: Page) -> None:
    demo.exec("op('/project1/level1').par.brightness1.expr = 'nothing_of_that_name'")
    demo.exec("op('/project1/level1').cook(force=True)")
    expect(operator(page, "level1")).to_contain_text("error: ")
    expect(operator(page, "level1")).to_contain_text("nothing_of_that_name")
    expect(page.locator(".nv-summary")).to_contain_text("with errors")
    # What an agent does is looked at anew at once, what others do after a few seconds.
    call_tool(demo, "set_parameters", changes=[{"path": "/project1/level1", "params": {"brightness1": 1}}])
    expect(operator(page, "level1")).not_to_contain_text("error: ")


def test_what_an_agent_makes_appears_and_glows(demo: StandIn, page: Page) -> None:
    call_tool(demo, "create_operator", parent="/project1", type="rampTOP", name="fresh", position=[1000, 200])
    expect(operator(page, "fresh")).to_be_attached()
    page.wait_for_function("() => dashboard.viewer.glow.has('/project1/fresh')")
    call_tool(
        demo, "wire_operators", connect=[{"from": "/project1/fresh", "to": "/project1/comp1", "input": 2}]
    )
    expect(operator(page, "fresh")).to_contain_text("to comp1")
    call_tool(demo, "delete_operators", paths=["/project1/fresh"])
    expect(operator(page, "fresh")).to_have_count(0)


def test_the_view_follows_the_agent_into_another_network_unless_told_not_to(
    demo: StandIn, page: Page
) -> None:
    call_tool(demo, "create_operator", parent="/project1/controls", type="nullTOP", name="elsewhere")
    expect(operator(page, "elsewhere")).to_be_attached()
    expect(page.locator(".nv-crumbs [aria-current]")).to_have_text("controls")
    page.get_by_label("Follow changes").uncheck()
    call_tool(demo, "create_operator", parent="/project1", type="nullTOP", name="back_here")
    expect(page.locator("#calls tbody tr").first).to_contain_text("/project1")
    expect(page.locator(".nv-crumbs [aria-current]")).to_have_text("controls")


def test_everything_can_be_reached_with_the_keyboard(page: Page) -> None:
    stage = page.locator(".nv-stage")
    stage.focus()
    page.evaluate("dashboard.viewer.go(dashboard.viewer.model.byPath.get('/project1/noise1'))")
    expect(operator(page, "noise1")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowRight")
    expect(operator(page, "level1")).to_have_attribute("aria-selected", "true")
    identifier = stage.get_attribute("aria-activedescendant")
    assert operator(page, "level1").get_attribute("id") == identifier
    page.evaluate("dashboard.viewer.go(dashboard.viewer.model.byPath.get('/project1/controls'))")
    page.keyboard.press("Enter")
    expect(page.locator(".nv-crumbs [aria-current]")).to_have_text("controls")
    page.keyboard.press("u")
    expect(page.locator(".nv-crumbs [aria-current]")).to_have_text("project1")
    expect(operator(page, "controls")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(page.locator(".nv-details")).to_be_hidden()


def test_a_click_on_a_tile_shows_its_parameters(page: Page) -> None:
    page.evaluate("dashboard.viewer.fit()")
    x, y = page.evaluate(
        """() => {
          const { viewer } = dashboard, op = viewer.model.byPath.get("/project1/noise1"), { view } = viewer.camera;
          const box = viewer.stage.getBoundingClientRect();
          return [box.x + (op.x + op.w / 2 - view.x) * view.scale, box.y + (op.y + op.h / 2 - view.y) * view.scale];
        }"""
    )
    page.mouse.click(x, y)
    details = page.locator(".nv-details")
    expect(details.locator("h3")).to_contain_text("noise1")
    expect(details.locator("tr", has_text="period")).to_contain_text("2.5")
    expect(details.locator("tr", has_text="tz")).to_contain_text("absTime.seconds")
    details.get_by_role("button", name="Show all").click()
    expect(details.locator("tr", has_text="harmon")).to_have_count(1)


def test_a_thousand_operators_stay_usable(demo: StandIn, page: Page, record_property: Any) -> None:
    demo.exec(
        "big = op('/project1').create('baseCOMP', 'big')\n"
        "before = None\n"
        "for i in range(1000):\n"
        "    made = big.create('nullTOP', f'null{i}')\n"
        "    made.nodeX, made.nodeY = (i % 40) * 180, -(i // 40) * 140\n"
        "    if i % 40:\n"
        "        made.inputConnectors[0].connect(before)\n"
        "    before = made\n",
        timeout=60,
    )
    page.evaluate("dashboard.viewer.previews.seconds = 0")
    page.evaluate("dashboard.viewer.open('/project1/big')")
    expect(page.locator(".nv-summary")).to_contain_text("1000 operators")
    expect(operator(page, "null999")).to_have_text("null999, nullTOP; from null998")

    drawn = page.evaluate(
        "(dashboard.viewer.fit(), dashboard.viewer.paint(), dashboard.viewer.painter.drawn)"
    )
    assert drawn == 1000, "all are in sight before it pans"

    def frames(work: str) -> dict[str, float]:
        """Do something with every frame the browser gives, for a second: frames a second, and ms that one costs."""
        told: dict[str, float] = page.evaluate(
            """(work) => new Promise((done) => {
              const { viewer } = dashboard;
              viewer.fit();
              const began = performance.now();
              let frames = 0, cost = 0;
              const step = (now) => {
                const way = frames % 120 < 60 ? 1 : -1, before = performance.now();
                if (work === "pan") {
                  viewer.camera.pan(9 * way, 3 * way);
                  viewer.paint();
                }
                cost += performance.now() - before;
                frames += 1;
                if (now - began < 1000) requestAnimationFrame(step);
                else done({ fps: frames / ((performance.now() - began) / 1000), ms: cost / frames });
              };
              requestAnimationFrame(step);
            })""",
            work,
        )
        return told

    # The best of a few rounds: other programs on this machine have their moments. Where the browser gives an empty
    # page hardly more than 30 frames a second, panning must at least not take many of them away.
    for _ in range(6):
        idle, panned = frames("nothing"), frames("pan")
        if panned["fps"] >= min(30.0, 0.8 * idle["fps"]):
            break
    record_property("pan_fps", round(panned["fps"], 1))
    record_property("idle_fps", round(idle["fps"], 1))
    record_property("paint_ms", round(panned["ms"], 2))
    assert panned["fps"] >= min(30.0, 0.8 * idle["fps"]), (idle, panned)
    demo.exec("op('/project1/big').destroy()")


# -- as an MCP App -----------------------------------------------------------------------------------------------


def test_the_app_is_small_names_no_address_and_is_announced(demo: StandIn) -> None:
    html = document(demo)
    assert len(html.encode()) <= MOST_BYTES
    # The names of SVG and HTML are written like addresses, but are none.
    assert set(re.findall(r"https?://[\w./]+", html)) <= {"http://www.w3.org/2000/svg"}
    listed = {tool["name"]: tool for tool in call(demo, "tools/list", "")["tools"]}
    for name in ("read_network", "capture_image"):
        assert listed[name]["_meta"]["ui"]["resourceUri"] == NETWORK
    assert "_meta" not in listed["set_parameters"]
    contents = call(demo, "resources/read", NETWORK, uri=NETWORK)["contents"][0]
    assert contents["mimeType"] == "text/html;profile=mcp-app"
    assert "io.modelcontextprotocol/ui" in call(demo, "server/discover", "")["capabilities"]["extensions"]


def test_the_app_draws_what_read_network_answers_and_fetches_nothing(demo: StandIn, started: Browser) -> None:
    with tab(started, viewport={"width": 900, "height": 500}) as opened:
        host = Host(demo, opened, context={"theme": "dark"})
        host.open("read_network", path="/project1")
        expect(operator(host.app, "comp1")).to_contain_text("from circle1, blur1; to null1")
        expect(host.app.locator("html")).to_have_attribute("data-theme", "dark")
        dark = host.app.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
        host.tell("ui/notifications/host-context-changed", {"theme": "light"})
        expect(host.app.locator("html")).to_have_attribute("data-theme", "light")
        assert host.app.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor") != dark
        assert set(opened.requests) <= {"http://client.test/"} | {
            url for url in opened.requests if url.startswith(("data:", "about:"))
        }


def test_the_app_shows_errors_goes_into_components_and_sees_edits(demo: StandIn, started: Browser) -> None:
    demo.exec("op('/project1/blur1').par.size.expr = 'nothing_of_that_name'")
    demo.exec("op('/project1/blur1').cook(force=True)")
    with tab(started, viewport={"width": 900, "height": 500}) as opened:
        host = Host(demo, opened)
        host.open("read_network", path="/project1")
        expect(operator(host.app, "blur1")).to_contain_text("nothing_of_that_name")
        demo.exec("op('/project1/blur1').par.size.expr = '4'")
        demo.exec("op('/project1/blur1').cook(force=True)")
        host.app.get_by_role("button", name="Refresh").click()
        expect(operator(host.app, "blur1")).not_to_contain_text("nothing_of_that_name")
        # Without being asked, too: it looks again by itself while somebody looks at it.
        call_tool(demo, "create_operator", parent="/project1", type="nullTOP", name="seen_by_app")
        expect(operator(host.app, "seen_by_app")).to_be_attached()
        host.app.locator(".nv-stage").press("End")
        expect(host.app.locator(".nv-details dl")).to_contain_text("Last cook")


def test_the_app_stays_a_picture_where_the_client_lets_it_call_nothing(
    demo: StandIn, started: Browser
) -> None:
    with tab(started, viewport={"width": 900, "height": 500}) as opened:
        host = Host(demo, opened, can_call=False)
        host.open("read_network", path="/project1")
        expect(operator(host.app, "noise1")).to_be_attached()
        expect(host.app.get_by_role("button", name="Refresh")).to_be_hidden()
        assert host.called == []


def test_the_app_shows_a_captured_picture_and_the_network_it_is_from(demo: StandIn, started: Browser) -> None:
    with tab(started, viewport={"width": 900, "height": 500}) as opened:
        host = Host(demo, opened)
        host.open("capture_image", path="/project1/null1")
        picture = host.app.get_by_role("img", name="What /project1/null1 shows")
        expect(picture).to_be_visible()
        assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth)") == 256
        expect(host.app.locator("#caption")).to_contain_text("256 × 256")
        host.app.get_by_role("button", name="Show it in its network").click()
        expect(operator(host.app, "null1")).to_have_attribute("aria-selected", "true")


def test_the_app_says_what_went_wrong(demo: StandIn, started: Browser) -> None:
    with tab(started, viewport={"width": 900, "height": 500}) as opened:
        host = Host(demo, opened)
        host.open("read_network", path="/project1/nowhere")
        expect(host.app.get_by_role("alert")).to_contain_text("/project1/nowhere")
