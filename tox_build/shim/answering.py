"""What the shim answers itself: lists from before, reasons why not, and its own tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tox_build.shim.constants import HOST_ARGUMENTS, LISTS, MODERN, SERVER_KEY
from tox_build.shim.flights import Flight, Outlet
from tox_build.shim.known import INSTANCE_TOOLS, OPEN_TOOL, Known, with_notes
from tox_build.shim.messages import Refusal, dumps
from tox_build.shim.projects import Projects
from tox_build.shim.servers import Servers

if TYPE_CHECKING:
    from typing import Any


class Answering:
    """Answers that need no server."""

    def __init__(
        self, out: Outlet, known: Known, servers: Servers, projects: Projects | None, notice: str
    ) -> None:
        self.out, self.known, self.servers = out, known, servers
        #: None unless the user allows starting TouchDesigner.
        self.projects = projects
        #: What every answer carries, whichever server it comes from.
        self.notice = notice
        # Tools that the client has been shown with room for our notes.
        self._roomy: set[str] = set()
        #: Host arguments that the client has been told of.
        self._ignored: set[str] = set()

    def _refuse(self, flight: Flight, refusal: Refusal) -> None:
        """Answer without a server: lists from what is known, everything else with the reason."""
        self.out.log(f"{flight.method}: {refusal.code}: {refusal.message}")
        if flight.cancelled:
            return
        method = flight.method
        if flight.modern and flight.version not in MODERN:
            data = {"supported": MODERN, "requested": flight.version}
            flight.error(-32022, "Unsupported protocol version", data)
        elif method in LISTS:
            key = LISTS[method]
            items = self.known.get(key, [])
            flight.result(
                self._envelope(flight, {key: self._tools(items) if key == "tools" else items}, cached=True)
            )
        elif method == "server/discover":
            introduction = self.known.introduction()
            introduction.pop("serverInfo")
            introduction["supportedVersions"] = MODERN
            flight.result(self._envelope(flight, introduction, cached=True))
        elif (
            method in ("logging/setLevel", "resources/subscribe", "resources/unsubscribe")
            and not flight.modern
        ):
            flight.result({})
        elif method == "completion/complete":
            flight.result(self._envelope(flight, {"completion": {"values": []}}))
        elif method == "tools/call":
            if self.projects is not None and refusal.code == "not_started":
                refusal.hint += f" Or call {OPEN_TOOL['name']}."
            flight.result(self._envelope(flight, refusal.result()))
        elif method in ("ping", "initialize"):
            flight.error(-32601, "Method not found", method)
        else:
            hint = f" {refusal.hint}" if refusal.hint else ""
            flight.error(-32000, refusal.message + hint, refusal.structured())

    def _envelope(self, flight: Flight, result: dict[str, Any], cached: bool = False) -> dict[str, Any]:
        """A result with what the modern era wants in it."""
        if not flight.modern:
            return result
        stale = {"ttlMs": 0, "cacheScope": "private"} if cached else {}
        meta = {SERVER_KEY: self.known.server_info()}
        return {**result, **stale, "resultType": "complete", "_meta": meta}

    def _tools(self, tools: list[Any], last_page: bool = True) -> list[Any]:
        tools, roomy = with_notes(tools)
        self._roomy |= roomy
        if not last_page:
            return tools
        own = INSTANCE_TOOLS if self.servers.instances.several() else []
        return [*tools, *own, *([OPEN_TOOL] if self.projects is not None else [])]

    def _call_own(self, flight: Flight) -> None:
        arguments = flight.params.get("arguments") or {}
        try:
            if not isinstance(arguments, dict):
                raise Refusal("value_invalid", "Arguments are an object.")
            name = flight.params["name"]
            allowed = {"select_instance": {"instance"}, "open_project": {"project"}}.get(name, set())
            unknown = sorted(set(arguments) - allowed - HOST_ARGUMENTS)
            if unknown:
                raise Refusal(
                    "value_invalid", f"Unknown argument: {', '.join(unknown)}.", suggestions=sorted(allowed)
                )
            if name == "open_project":
                structured: dict[str, Any] = self._open(arguments.get("project") or "")
            elif allowed:
                wanted = arguments.get("instance")
                if not isinstance(wanted, (str, int)) or isinstance(wanted, bool) or wanted == "":
                    raise Refusal(
                        "value_invalid",
                        "select_instance needs `instance`.",
                        suggestions=self.servers.instances.names(),
                    )
                target = self.servers.instances.select(str(wanted))
                structured = {
                    "selected": target.name or str(target.pid),
                    "reached": str(target),
                }
                self.servers.wake.set()
            else:
                structured = {"instances": self.servers.instances.listing()}
            content = [{"type": "text", "text": dumps(structured).decode("ascii")}]
            ignored = sorted(set(arguments) - allowed - self._ignored)
            if ignored:
                self._ignored.update(ignored)
                structured["ignored_arguments"] = ignored
                content.append({"type": "text", "text": f"Ignored the arguments {', '.join(ignored)}."})
            result = {
                "content": content,
                "structuredContent": structured,
                "isError": False,
            }
        except Refusal as refusal:
            result = refusal.result()
        flight.result(self._envelope(flight, result))

    def _open(self, wanted: Any) -> dict[str, Any]:
        assert self.projects is not None
        if not isinstance(wanted, str):
            raise Refusal("value_invalid", "`project` is a text.")
        if wanted:
            return self.projects.open(wanted)
        return {"projects": [{"path": one["path"], "build": one["build"]} for one in self.projects.listing()]}
