"""Resources: the kinds of a project's resources, the library, the table of tools and the log."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, Final

from mcp.shared.exceptions import MCPError
from mcp_types import (
    Annotations,
    BlobResourceContents,
    CompleteRequestParams,
    Completion,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    ResourceTemplateReference,
    TextResourceContents,
)

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.logs.records import Record
from tdmcp_embedded.protocol import arguments, completions, icons, results, runner
from tdmcp_embedded.protocol.offer import Context, Offer
from tdmcp_embedded.protocol.requests import Host, key_id, key_life, session_id
from tdmcp_embedded.protocol.results import MESSAGE_LIMIT
from tdmcp_embedded.protocol.tool_calls import ToolCalls
from tdmcp_embedded.protocol.watcher import LOOK_FAILED
from tdmcp_embedded.resources import library, listing
from tdmcp_embedded.resources.addresses import Address, parse
from tdmcp_embedded.resources.kinds import BY_PATH, KINDS, Kind
from tdmcp_embedded.settings import Level

JSON: Final = "application/json"
MARKDOWN: Final = "text/markdown"

#: Milliseconds a client may keep what comes with the server, and what a type offers.
_FIXED_MS: Final = 3_600_000

#: Log records in one answer.
_LOG_SHOWN: Final = 200

#: Resources on a page of those that depend on the project.
_PAGE: Final = 100


class Resources(Offer):
    """Everything under `td://`."""

    def __init__(self, host: Host, tools: ToolCalls) -> None:
        self._host = host
        self._tools = tools

    # -- lists -----------------------------------------------------------------------------------------------

    async def resources(self, ctx: Context) -> list[Resource]:
        found = [
            Resource(uri=kind.template, name=kind.name, title=kind.title, description=kind.description,
                     mime_type=kind.mime, annotations=Annotations(priority=0.9), icons=icons.OF_KIND[kind.name])
            for kind in KINDS.values() if not kind.variable
        ]  # fmt: skip
        tools = await self._tools_json(ctx)
        found.append(_fixed("td://tools", "tools", "Tools", "The table of tools at this level.", JSON, tools))
        found.append(
            Resource(uri="td://log", name="log", title="Log", mime_type=JSON, icons=icons.OF_KIND["log"],
                     description="What happened lately: calls with outcome and milliseconds, starts, warnings.")
        )  # fmt: skip
        for topic, text in library.guides().items():
            title = library.heading(text)
            found.append(
                _fixed(f"td://guide/{topic}", f"guide {topic}", title, f"Guide: {title}.", MARKDOWN, text)
            )
        for name, recipe in library.recipes().items():
            found.append(
                _fixed(f"td://recipe/{name}", f"recipe {name}", recipe["title"], recipe["description"], JSON,
                       json.dumps(recipe))
            )  # fmt: skip
        return found

    async def more_resources(self, ctx: Context, start: int) -> tuple[list[Resource], int | None]:
        """The project's own: networks, DATs and TOPs.

        Raises:
            MCPError: the main thread does not answer. An empty page would say that the project has no operators.
        """
        try:
            job = self._host.queue.submit(
                lambda: listing.operators_of(self._host.td),
                session=session_id(ctx), owner=key_id(ctx), label="resources", remember=False,
                deadline=self._host.settings().call_deadline,
            )  # fmt: skip
            rows: list[listing.Row] = await asyncio.wrap_future(job.future)
        except ToolFailure as refusal:
            raise results.protocol_error(refusal) from None
        page = rows[start : start + _PAGE]
        found = [
            Resource(uri=row.uri, name=row.path, title=f"{KINDS[row.kind].title} {row.path}", description=row.type,
                     mime_type=KINDS[row.kind].mime, size=row.size, icons=icons.OF_KIND[row.kind])
            for row in page
        ]  # fmt: skip
        return found, start + _PAGE if start + _PAGE < len(rows) else None

    async def resource_templates(self, ctx: Context) -> list[ResourceTemplate]:
        found = [
            ResourceTemplate(uri_template=kind.template, name=kind.name, title=kind.title,
                             description=kind.description, mime_type=kind.mime, icons=icons.OF_KIND[kind.name])
            for kind in KINDS.values() if kind.variable
        ]  # fmt: skip
        found.append(
            ResourceTemplate(uri_template="td://recipe/{name}", name="recipe", title="Recipe", mime_type=JSON,
                             icons=icons.OF_KIND["recipe"],
                             description="A network to build, in the form build_network takes, and what it shows.")
        )  # fmt: skip
        found.append(
            ResourceTemplate(uri_template="td://guide/{topic}", name="guide", title="Guide", mime_type=MARKDOWN,
                             icons=icons.OF_KIND["guide"],
                             description="How to do common things in TouchDesigner with these tools.")
        )  # fmt: skip
        return found

    # -- reading ---------------------------------------------------------------------------------------------

    async def read_resource(
        self, ctx: Context, params: ReadResourceRequestParams
    ) -> ReadResourceResult | None:
        address = parse(params.uri, BY_PATH)
        if address is None:
            return None
        kind = KINDS.get(address.kind)
        if kind is not None and bool(address.target) == bool(kind.variable):
            return await self._of_project(ctx, params.uri, kind, address.target)
        if address == Address("tools", ""):
            return _text(params.uri, JSON, await self._tools_json(ctx))
        if address == Address("log", ""):
            return _text(params.uri, JSON, self._log_json(ctx))
        return self._of_library(params.uri, address)

    async def _of_project(self, ctx: Context, uri: str, kind: Kind, target: str) -> ReadResourceResult:
        call = self._host.call(ctx, f"resource {kind.name}")
        try:
            given = arguments.parse(kind.reading, kind.arguments(target))
            output = await runner.run(call, kind.reading, given)
        except ToolFailure as refusal:
            raise _refused(uri, refusal) from None
        ttl = _FIXED_MS if kind.look is None else 0
        if kind.picture:
            picture = output.pictures[0]
            blob = base64.b64encode(picture.data).decode("ascii")
            return ReadResourceResult(
                contents=[BlobResourceContents(uri=uri, mime_type=picture.mime, blob=blob)], ttl_ms=ttl
            )
        content = output.text() if kind.raw else _json(output.structured())
        return _text(uri, kind.mime, content, ttl)

    def _of_library(self, uri: str, address: Address) -> ReadResourceResult:
        if address.kind == "guide":
            known: Mapping[str, Any] = library.guides()
            if address.target in known:
                return _text(uri, MARKDOWN, known[address.target], _FIXED_MS)
        elif address.kind == "recipe":
            known = library.recipes()
            if address.target in known:
                return _text(uri, JSON, _json(known[address.target]), _FIXED_MS)
        else:
            known = {}
        suggestions = [f"td://{address.kind}/{name}" for name in near(address.target, list(known))]
        raise _refused(
            uri,
            ToolFailure(
                Code.VALUE_INVALID,
                f"There is no resource {uri}.",
                hint="resources/list and resources/templates/list say what there is.",
                suggestions=suggestions,
            ),
        )

    async def _tools_json(self, ctx: Context) -> str:
        rows = [
            tool.model_dump(by_alias=True, mode="json", exclude_none=True, exclude={"icons"})
            for tool in await self._tools.tools(ctx)
        ]
        return _json({"level": self._host.level(ctx).value, "tools": rows})

    def _log_json(self, ctx: Context) -> str:
        (name, since), everything = key_life(ctx), self._host.level(ctx) is Level.FULL
        own = (name, session_id(ctx))
        shown = []
        for record in self._host.log.ring.newest(_LOG_SHOWN):
            # Of other people's calls only those may hear who could see them in TouchDesigner itself.
            if (
                everything
                or not record.tool
                or ((record.key, record.session) == own and record.time >= since)
            ):
                facts = record.as_dict()
                facts.pop("key", None)
                facts.pop("address", None)
                shown.append(facts)
        return _json({"records": shown, "now": time.time()})

    # -- watching --------------------------------------------------------------------------------------------

    def look(self, uris: Sequence[str]) -> Generator[Any, None, Mapping[str, tuple[object, float]]]:
        """Work for the main thread: the fingerprint of each of the addresses that can change, and its cost in seconds."""
        found: dict[str, tuple[object, float]] = {}
        for uri in uris:
            address = parse(uri, BY_PATH)
            kind = KINDS.get(address.kind) if address is not None else None
            if address is None or kind is None or kind.look is None:
                continue
            yield
            spent, steps = 0.0, kind.look(self._host.td, address.target)
            while True:
                began = time.perf_counter()
                try:
                    next(steps)
                except StopIteration as stop:
                    found[uri] = (stop.value, spent + time.perf_counter() - began)
                    break
                except Exception:  # noqa: BLE001 - whatever TD raises while somebody deletes it: look again next time
                    found[uri] = (LOOK_FAILED, spent + time.perf_counter() - began)
                    break
                spent += time.perf_counter() - began
                yield
        return found

    def follow_log(self, changed: Callable[[str], None]) -> Callable[[], None]:
        """Tell `changed` of new records; what is returned ends that."""

        def on_record(record: Record) -> None:
            # Reading the log is itself a line in the log, which must not call for reading it again.
            if record.tool != "resources/read":
                changed("td://log")

        return self._host.log.ring.listen(on_record)

    # -- completions -----------------------------------------------------------------------------------------

    async def complete(self, ctx: Context, params: CompleteRequestParams) -> Completion | None:
        if not isinstance(params.ref, ResourceTemplateReference):
            return None
        name = params.argument.name
        typed = params.argument.value
        if name == "topic":
            return completions.of_words(typed, list(library.guides()))
        if name == "name":
            return completions.of_words(typed, list(library.recipes()))
        known = {"path": "path", "optype": "type"}
        if not params.ref.uri.startswith("td://") or name not in known:
            return None
        asked = completions.Asked(known[name], typed, {}, _family_of(params.ref.uri))
        return await completions.ask(self._host, ctx, asked)


def _family_of(template: str) -> str:
    """Which operators a path of this template can name."""
    kind = template.removeprefix("td://").partition("/")[0]
    return {"network": "COMP", "text": "DAT", "table": "DAT"}.get(kind, "")


def _fixed(uri: str, name: str, title: str, description: str, mime: str, content: str) -> Resource:
    return Resource(
        uri=uri, name=name, title=title, description=description, mime_type=mime,
        size=len(content.encode("utf-8")), icons=icons.OF_KIND[uri.removeprefix("td://").partition("/")[0]],
    )  # fmt: skip


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _text(uri: str, mime: str, content: str, ttl_ms: int = 0) -> ReadResourceResult:
    content = content.encode("utf-8", "replace").decode("utf-8")
    if len(json.dumps(content)) > MESSAGE_LIMIT - 4_000:
        raise _refused(
            uri,
            ToolFailure(
                Code.TOO_LARGE, f"{uri} is larger than a message may be.", hint="The tools read it in parts."
            ),
        )
    return ReadResourceResult(
        contents=[TextResourceContents(uri=uri, mime_type=mime, text=content)], ttl_ms=ttl_ms
    )


def _refused(uri: str, refusal: ToolFailure) -> MCPError:
    """A failed reading is an error of the protocol; its data says what a tool's refusal would."""
    return results.protocol_error(refusal, uri=uri)
