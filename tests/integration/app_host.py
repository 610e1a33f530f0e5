"""A client that shows MCP Apps, as far as an app can tell: a page with the app in a sandboxed frame, and the calls."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from playwright.sync_api import FrameLocator, Route

from fakes.driver import StandIn
from tests.answers import check_result
from tests.browser import Tab
from tests.integration.clients import JSON_HEADERS, request

VERSION = "2026-07-28"
UI_VERSION = "2026-01-26"
NETWORK = "ui://tdmcp/network"

#: What a host must enforce for an app that names no addresses (MCP Apps, 2026-01-26).
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'"
)

_PAGE = """<!doctype html><meta charset="utf-8"><title>A client</title>
<style>body { margin: 0 } iframe { border: 0; width: 100vw; height: 100vh; display: block }</style>
<script>
const heard = [];
const answer = (id, result) => frame.contentWindow.postMessage({ jsonrpc: "2.0", id, result }, "*");
const tell = (method, params) => frame.contentWindow.postMessage({ jsonrpc: "2.0", method, params }, "*");
let frame, context = {}, capabilities = {};
window.addEventListener("message", async ({ data, source }) => {
  if (!frame || source !== frame.contentWindow) return;
  heard.push(data.method ?? "answer");
  if (data.method === "ui/initialize") {
    answer(data.id, { protocolVersion: "2026-01-26", hostInfo: { name: "test", version: "1" },
                      hostCapabilities: capabilities, hostContext: context });
  } else if (data.method === "tools/call") {
    answer(data.id, JSON.parse(await callTool(data.params.name, JSON.stringify(data.params.arguments))));
  }
});
function open(html, given, surroundings, can) {
  context = surroundings;
  capabilities = can;
  frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.srcdoc = html;
  document.body.append(frame);
}
</script>"""


def call(td: StandIn, method: str, called: str, **params: Any) -> dict[str, Any]:
    """One request of the sessionless era; its result."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}
    headers = {
        **td.headers,
        **JSON_HEADERS,
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": method,
        "Mcp-Name": called,
    }
    answer = request(td.url, "POST", json.dumps(body).encode(), headers).json
    assert "result" in answer, answer
    result: dict[str, Any] = answer["result"]
    return result


def call_tool(td: StandIn, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The result of a tool call, as an agent gets it."""
    result = call(td, "tools/call", tool, name=tool, arguments=arguments)
    check_result(tool, result)
    return result


def document(td: StandIn) -> str:
    """The app as the server gives it."""
    result = call(td, "resources/read", NETWORK, uri=NETWORK)
    return str(result["contents"][0]["text"])


class Host:
    """The client.

    Args:
        td: whose tools the app may call.
        tab: where it is shown.
        can_call: whether this client lets apps call tools.
        context: what it says of the app's surroundings, such as `{"theme": "dark"}`.
    """

    def __init__(
        self, td: StandIn, tab: Tab, *, can_call: bool = True, context: Mapping[str, Any] | None = None
    ) -> None:
        self.td, self.tab = td, tab
        #: Tools the app has called.
        self.called: list[str] = []
        self._can_call = can_call
        self._context = dict(context or {})
        tab.page.expose_function("callTool", self._call)
        tab.page.route("http://client.test/", self._page)
        tab.page.goto("http://client.test/")

    def open(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool as the agent does, show the app, and give it the answer; the result."""
        result = call_tool(self.td, tool, **arguments)
        policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        html = document(self.td).replace("<head>", f"<head>{policy}", 1)
        can: dict[str, Any] = {"serverTools": {}} if self._can_call else {}
        self.tab.page.evaluate(
            "([html, given, context, can]) => open(html, given, context, can)",
            [html, arguments, self._context, can],
        )
        self.tab.page.wait_for_function("heard.includes('ui/notifications/initialized')")
        self.tell("ui/notifications/tool-input", {"arguments": arguments})
        self.tell("ui/notifications/tool-result", result)
        return result

    @property
    def app(self) -> FrameLocator:
        """What is in the frame."""
        return self.tab.page.frame_locator("iframe")

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Send the app a notification."""
        self.tab.page.evaluate("([method, params]) => tell(method, params)", [method, dict(params)])

    def _call(self, name: str, arguments: str) -> str:
        self.called.append(name)
        return json.dumps(call_tool(self.td, name, **json.loads(arguments)))

    def _page(self, route: Route) -> None:
        route.fulfill(body=_PAGE, content_type="text/html; charset=utf-8")
