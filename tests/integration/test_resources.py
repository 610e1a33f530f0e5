"""Resources from outside: what they hold agrees with TouchDesigner, and whoever subscribed hears of changes."""

from __future__ import annotations

import ast
import base64
import csv
import json
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    BlobResourceContents,
    PromptReference,
    ResourceLink,
    ResourceTemplateReference,
    TextContent,
)

from fakes.driver import StandIn
from tests.integration.clients import http_client
from tests.integration.listening import ERAS, hearing

pytestmark = [
    pytest.mark.anyio,
    # What the handshake era had stays tested as long as clients speak it.
    pytest.mark.filterwarnings("ignore:resources/.* is removed as of 2026-07-28"),
]

SCENE = """
p = op('/project1')
n = p.create('noiseTOP', 'noise1')
d = p.create('textDAT', 'notes'); d.text = 'first\\nsecond — ü'
t = p.create('tableDAT', 'cells'); t.clear(); t.appendRow(['a', 'b']); t.appendRow(['1', 'x,y'])
p.create('textDAT', 'number').text = '1'
p.create('noiseTOP', 'shaky').par.ty.expr = "float(op('number').text)"
b = p.create('baseCOMP', 'inside'); b.create('circleTOP', 'circle1')
"""


@pytest.fixture(scope="module", autouse=True)
def scene(td: StandIn) -> None:
    td.exec(SCENE)


async def read(client: Client, uri: str) -> str:
    content = (await client.read_resource(uri)).contents[0]
    text = getattr(content, "text", None)
    assert isinstance(text, str), content
    return text


# -- what there is -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
async def test_the_list_pages_from_what_is_always_there_to_the_projects_own(td: StandIn, era: str) -> None:
    async with http_client(td, era) as client:
        page = await client.list_resources()
        first = {resource.uri: resource for resource in page.resources}
        assert {"td://project", "td://tools", "td://log", "td://guide/start"} <= set(first)
        guide = first["td://guide/start"]
        assert guide.mime_type == "text/markdown"
        assert guide.size == len((await read(client, guide.uri)).encode())
        rest: dict[str, str | None] = {}
        sizes: dict[str, int | None] = {}
        for _ in range(100):
            if page.next_cursor is None:
                break
            page = await client.list_resources(cursor=page.next_cursor)
            rest |= {resource.uri: resource.mime_type for resource in page.resources}
            sizes |= {resource.uri: resource.size for resource in page.resources}
        assert page.next_cursor is None
        assert rest["td://network/project1"] == "application/json"
        assert rest["td://text/project1/notes"] == "text/plain"
        assert sizes["td://text/project1/notes"] == len(
            (await read(client, "td://text/project1/notes")).encode()
        )
        assert rest["td://table/project1/cells"] == "text/csv"
        assert rest["td://image/project1/noise1"] == "image/png"


@pytest.mark.parametrize("era", ERAS)
async def test_whatever_is_listed_has_a_title_and_an_icon(td: StandIn, era: str) -> None:
    async with http_client(td, era) as client:
        page = await client.list_resources()
        projects = await client.list_resources(cursor=page.next_cursor)
        listed = [
            *(await client.list_tools()).tools,
            *(await client.list_prompts()).prompts,
            *(await client.list_resource_templates()).resource_templates,
            *page.resources,
            *projects.resources,
        ]
    assert [entry.name for entry in listed if not entry.title or not entry.icons] == []
    # Drawn in the message itself: nothing is fetched from anywhere.
    assert {icon.src.partition(",")[0] for entry in listed for icon in entry.icons or []} == {
        "data:image/svg+xml;base64"
    }


async def test_a_cursor_that_is_not_ours_is_refused(td: StandIn) -> None:
    async with http_client(td) as client:
        with pytest.raises(MCPError, match="cursor"):
            await client.list_resources(cursor="bm90IG91cnM=")


async def test_every_template_can_be_read_with_its_slashes_plain_or_encoded(td: StandIn) -> None:
    targets = {
        "network": "project1/inside", "operator": "project1/noise1", "text": "project1/notes",
        "table": "project1/cells", "image": "project1/inside/circle1", "type": "noiseTOP",
        "recipe": "colored_noise", "guide": "errors",
    }  # fmt: skip
    async with http_client(td) as client:
        templates = (await client.list_resource_templates()).resource_templates
        assert {template.name for template in templates} == set(targets)
        for template in templates:
            variable = template.uri_template.split("{")[1].rstrip("}")
            for target in {targets[template.name], targets[template.name].replace("/", "%2F")}:
                uri = template.uri_template.replace("{" + variable + "}", target)
                content = (await client.read_resource(uri)).contents[0]
                assert content.uri == uri
                assert content.mime_type == template.mime_type


# -- what they hold ------------------------------------------------------------------------------------------


async def test_texts_and_tables_are_whole_and_exact(td: StandIn) -> None:
    async with http_client(td) as client:
        assert repr(await read(client, "td://text/project1/notes")) == td.exec("op('/project1/notes').text")
        rows = list(csv.reader((await read(client, "td://table/project1/cells")).splitlines()))
        assert rows == [["a", "b"], ["1", "x,y"]]


@pytest.mark.parametrize(
    ("tool", "arguments", "whole"),
    [
        ("read_data", {"path": "/project1/notes", "limit": 1}, "td://text/project1/notes"),
        ("read_data", {"path": "/project1/cells", "limit": 1}, "td://table/project1/cells"),
        ("read_network", {"path": "/project1", "limit": 1}, "td://network/project1"),
    ],
)
async def test_an_answer_that_is_a_part_leads_to_the_resource_with_the_whole(
    td: StandIn, tool: str, arguments: dict[str, Any], whole: str
) -> None:
    td.exec("op('/project1/notes').text = 'one\\ntwo\\nthree'")
    async with http_client(td) as client:
        part = await client.call_tool(tool, arguments)
        (link,) = [block for block in part.content if isinstance(block, ResourceLink)]
        assert link.uri == whole == part.structured_content["whole"]
        assert whole in part.content[0].text
        resource = (await client.read_resource(link.uri)).contents[0]
        assert resource.mime_type == link.mime_type
        all_of_it = await client.call_tool(tool, {**arguments, "limit": 2000})
        assert all_of_it.structured_content.get("whole") is None
        assert not [block for block in all_of_it.content if isinstance(block, ResourceLink)]


async def test_an_image_is_a_png_of_the_operator(td: StandIn) -> None:
    async with http_client(td) as client:
        content = (await client.read_resource("td://image/project1/noise1")).contents[0]
        assert isinstance(content, BlobResourceContents)
        assert base64.b64decode(content.blob).startswith(b"\x89PNG")


async def test_a_network_resource_is_what_build_network_takes(td: StandIn) -> None:
    async with http_client(td) as client:
        network = json.loads(await read(client, "td://network/project1/inside"))
        td.exec("op('/project1').create('baseCOMP', 'rebuilt')")
        built = await client.call_tool(
            "build_network", {"path": "/project1/rebuilt", "operators": network["operators"]}
        )
        assert not built.is_error, built
        assert td.exec("op('/project1/rebuilt/circle1').OPType") == "'circleTOP'"
        td.exec("op('/project1/rebuilt').destroy()")


async def test_the_project_the_tools_and_the_log_say_what_is(td: StandIn) -> None:
    async with http_client(td) as client:
        project = json.loads(await read(client, "td://project"))
        assert repr(project["project"]["name"]) == td.exec("project.name")
        assert "/project1" in {network["path"] for network in project["networks"]}
        tools = json.loads(await read(client, "td://tools"))
        listed = (await client.list_tools()).tools
        assert [tool["name"] for tool in tools["tools"]] == [tool.name for tool in listed]
        await client.call_tool("find_operators", {"path": "/project1"})
        log = json.loads(await read(client, "td://log"))
        assert any(record.get("tool") == "find_operators" for record in log["records"])
        assert td.ready["token"] not in json.dumps(log)


@pytest.mark.parametrize(
    ("uri", "says"),
    [
        ("td://operator/project1/noise2", "/project1/noise1"),
        ("td://text/project1/noise1", "noiseTOP"),
        ("td://type/noiseTop", "noiseTOP"),
        ("td://guide/eror", "td://guide/errors"),
        ("td://nothing/there", "resources/list"),
        ("td://project/of/mine", "resources/list"),
        ("file:///etc/passwd", "no resource"),
    ],
)
async def test_what_is_not_there_is_an_error_that_helps(td: StandIn, uri: str, says: str) -> None:
    async with http_client(td) as client:
        with pytest.raises(MCPError) as refusal:
            await client.read_resource(uri)
        assert refusal.value.error.code == -32602
        assert says in refusal.value.error.message
        assert refusal.value.error.data["uri"] == uri


async def test_while_the_main_thread_is_stuck_nothing_empty_is_called_a_success(td: StandIn) -> None:
    async with http_client(td) as client:
        td.do("modal", open=True)
        try:
            page = await client.list_resources()
            assert "td://project" in {resource.uri for resource in page.resources}
            assert page.next_cursor is not None
            assert (await client.list_prompts()).prompts
            ref = ResourceTemplateReference(type="ref/resource", uri="td://network/{path}")
            asked = (
                client.list_resources(cursor=page.next_cursor),
                client.read_resource("td://project"),
                client.read_resource("td://network/project1"),
                client.complete(ref, {"name": "path", "value": "/"}),
            )
            for answer in asked:
                with pytest.raises(MCPError, match="TouchDesigner") as refusal:
                    await answer
                assert refusal.value.error.code == -32603
                assert refusal.value.error.data["code"] == "main_thread_stalled"
                assert refusal.value.error.data["retryable"]
        finally:
            td.do("modal", open=False)


# -- subscriptions -------------------------------------------------------------------------------------------

CHANGES = {
    "text": ("td://text/project1/notes", "op('/project1/notes').text += 'x'"),
    "a table": ("td://table/project1/cells", "op('/project1/cells').appendRow(['2', 'y'])"),
    "a parameter": ("td://operator/project1/noise1", "op('/project1/noise1').par.period += 0.1"),
    "an expression": (
        "td://operator/project1/noise1",
        "p = op('/project1/noise1').par.tx; p.expr = p.expr + '+1' if p.expr else '1'",
    ),
    "structure": (
        "td://network/project1/inside",
        "o = op('/project1/inside'); o.op('made').destroy() if o.op('made') else o.create('nullTOP', 'made')",
    ),
    "a parameter inside": ("td://network/project1", "op('/project1/noise1').par.period += 0.1"),
    "errors": (
        "td://operator/project1/shaky",
        "d = op('/project1/number'); d.text = 'x' if d.text == '1' else '1'; op('/project1/shaky').cook()",
    ),
    "pixels": ("td://image/project1/noise1", "op('/project1/noise1').par.period += 0.1"),
    "the project": ("td://project", "root.time.rangeEnd = root.time.rangeEnd - 1"),
}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("kind", CHANGES)
async def test_whoever_subscribed_hears_of_a_change(td: StandIn, era: str, kind: str) -> None:
    uri, code = CHANGES[kind]

    async def change() -> None:
        await anyio.to_thread.run_sync(td.exec, code)

    async with hearing(td, era, uri) as ear:
        await ear.hears("resources/updated", uri, change)


@pytest.mark.parametrize("era", ERAS)
async def test_the_log_is_heard_of_but_not_for_being_read(td: StandIn, era: str) -> None:
    async with hearing(td, era, "td://log") as ear:

        async def call() -> None:
            async with http_client(td) as other:
                await other.call_tool("find_operators", {"path": "/project1"})

        await ear.hears("resources/updated", "td://log", call)


@pytest.mark.parametrize("era", ERAS)
async def test_changes_elsewhere_are_not_heard_of(td: StandIn, era: str) -> None:
    quiet, loud = "td://text/project1/notes", "td://operator/project1/noise1"

    async def change() -> None:
        await anyio.to_thread.run_sync(td.exec, "op('/project1/noise1').par.period += 0.1")

    async with hearing(td, era, quiet, loud) as ear:
        await ear.hears("resources/updated", loud, change)
        await ear.hears("resources/updated", loud, change)
        assert ("resources/updated", quiet) not in ear.heard


@pytest.mark.parametrize("era", ERAS)
async def test_an_animated_value_is_no_change(td: StandIn, era: str) -> None:
    td.exec("op('/project1/noise1').par.tz.expr = 'absTime.seconds'")
    try:
        async with hearing(td, era, "td://operator/project1/noise1", "td://text/project1/notes") as ear:

            async def change() -> None:
                await anyio.to_thread.run_sync(td.exec, "op('/project1/notes').text += 'x'")

            # What was changed before is told first; after a few notices there is none of it left.
            for _ in range(4):
                await ear.hears("resources/updated", "td://text/project1/notes", change)
            assert ("resources/updated", "td://operator/project1/noise1") not in ear.heard
    finally:
        td.exec("op('/project1/noise1').par.tz.expr = ''; op('/project1/noise1').par.tz = 0")


async def test_after_unsubscribing_nothing_is_heard(td: StandIn) -> None:
    gone, kept = "td://text/project1/notes", "td://operator/project1/noise1"

    async def change() -> None:
        code = "op('/project1/notes').text += 'x'; op('/project1/noise1').par.period += 0.1"
        await anyio.to_thread.run_sync(td.exec, code)

    async with hearing(td, "legacy", gone, kept) as ear:
        await ear.client.unsubscribe_resource(gone)
        await ear.hears("resources/updated", kept, change)
        assert ("resources/updated", gone) not in ear.heard


@pytest.mark.parametrize("era", ERAS)
async def test_a_change_of_level_is_heard_as_a_changed_list_of_tools(td: StandIn, era: str) -> None:
    component = td.ready["component"]
    async with hearing(td, era, "td://tools") as ear:
        levels = ["observe", "edit"]

        async def change() -> None:
            levels.reverse()
            await anyio.to_thread.run_sync(td.exec, f"op('{component}').par.Accesslevel = '{levels[0]}'")

        try:
            await ear.hears("tools/list_changed", "", change)
            await ear.hears("resources/updated", "td://tools", change)
        finally:
            td.exec(f"op('{component}').par.Accesslevel = 'full'")


async def test_nothing_is_looked_at_when_nobody_subscribes(td: StandIn) -> None:
    async with hearing(td, "auto", "td://project"):
        pass
    # Wait until the watch has noticed that its only listener is gone.
    steps = "__import__('sys').modules['tdmcp_embedded.embed'].find(op('{}')).stats()['submitted']".format(
        td.ready["component"]
    )
    counts = []
    for _ in range(40):
        counts.append(ast.literal_eval(td.exec(steps)))
        await anyio.sleep(0.25)
        if len(counts) >= 5 and len(set(counts[-4:])) == 1:
            return
    raise AssertionError(f"jobs keep coming: {counts}")


# -- prompts and completions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
async def test_a_prompt_brings_what_is_in_the_project_now(td: StandIn, era: str) -> None:
    async with http_client(td, era) as client:
        prompt = await client.get_prompt("explain_network", {"path": "/project1/inside"})
        content = prompt.messages[0].content
        assert isinstance(content, TextContent)
        assert "/project1/inside" in content.text and "circle1" in content.text


async def test_a_prompt_keeps_braces_that_people_write(td: StandIn) -> None:
    shader = "void main() { vec4 {path} = {language}; }"
    async with http_client(td) as client:
        prompt = await client.get_prompt("port_shader", {"shader": shader, "language": "ISF"})
        content = prompt.messages[0].content
        assert isinstance(content, TextContent)
        assert shader in content.text and "ISF shader" in content.text


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("fix_error", {}, "fix_errors"),
        ("port_shader", {}, "needs shader"),
        ("fix_errors", {"pth": "/"}, "path"),
        # A prompt with a refusal in it would look as if it were one to work with.
        ("explain_network", {"path": "/project1/insid"}, "Did you mean /project1/inside"),
    ],
)
async def test_a_wrong_prompt_or_argument_is_refused_with_the_right_one(
    td: StandIn, name: str, arguments: dict[str, str], says: str
) -> None:
    async with http_client(td) as client:
        with pytest.raises(MCPError, match=says):
            await client.get_prompt(name, arguments)


COMPLETIONS: list[tuple[Any, str, str, dict[str, str], str]] = [
    ("td://network/{path}", "path", "/project1/in", {}, "/project1/inside"),
    ("td://text/{path}", "path", "note", {}, "/project1/notes"),
    ("td://image/{path}", "path", "/project1/inside/", {}, "/project1/inside/circle1"),
    ("td://type/{optype}", "optype", "noiset", {}, "noiseTOP"),
    ("td://guide/{topic}", "topic", "per", {}, "performance"),
    ("td://recipe/{name}", "name", "feed", {}, "feedback_trails"),
    ("make_audio_reactive", "parameter", "per", {"path": "/project1/noise1"}, "period"),
    ("make_audio_reactive", "band", "b", {}, "bass"),
    ("try_values", "value", "spar", {"path": "/project1/noise1", "parameter": "type"}, "sparse"),
]


@pytest.mark.parametrize(("of", "argument", "typed", "given", "expected"), COMPLETIONS)
async def test_a_half_typed_word_is_completed(
    td: StandIn, of: str, argument: str, typed: str, given: dict[str, str], expected: str
) -> None:
    ref: ResourceTemplateReference | PromptReference
    if of.startswith("td://"):
        ref = ResourceTemplateReference(type="ref/resource", uri=of)
    else:
        ref = PromptReference(type="ref/prompt", name=of)
    async with http_client(td) as client:
        result = await client.complete(ref, {"name": argument, "value": typed}, given or None)
        assert result.completion.values[0] == expected


async def test_many_completions_are_cut_and_counted(td: StandIn) -> None:
    ref = ResourceTemplateReference(type="ref/resource", uri="td://type/{optype}")
    async with http_client(td) as client:
        completion = (await client.complete(ref, {"name": "optype", "value": ""})).completion
        assert len(completion.values) == 100
        assert completion.has_more and completion.total is not None and completion.total > 100


# -- what a client is told first -----------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
async def test_instructions_fit_the_project_and_the_level(td: StandIn, era: str) -> None:
    component = td.ready["component"]
    async with http_client(td, era) as client:
        assert ast.literal_eval(td.exec("project.name")) in (client.instructions or "")
        assert component in (client.instructions or "")
        assert "build_network" in (client.instructions or "")
        assert client.server_info is not None and client.server_info.icons
    td.exec(f"op('{component}').par.Accesslevel = 'observe'")
    try:
        for _ in range(60):  # the parameter takes effect a frame or two later
            async with http_client(td, era) as client:
                said = client.instructions or ""
            if "may only look" in said:
                break
        assert "may only look" in said and "build_network" not in said
    finally:
        td.exec(f"op('{component}').par.Accesslevel = 'full'")


@pytest.mark.parametrize("era", ERAS)
async def test_the_small_toolset_is_announced_and_holds_at_most_sixteen_tools(td: StandIn, era: str) -> None:
    component = td.ready["component"]
    sets = ["all", "core"]

    async def change() -> None:
        sets.reverse()
        await anyio.to_thread.run_sync(td.exec, f"op('{component}').par.Toolset = '{sets[0]}'")

    async with hearing(td, era) as ear:
        whole = {tool.name for tool in (await ear.client.list_tools()).tools}
        try:
            await ear.hears("tools/list_changed", "", change)
            if sets[0] == "all":
                await ear.hears("tools/list_changed", "", change)
            core = {tool.name for tool in (await ear.client.list_tools(cache_mode="refresh")).tools}
            assert core < whole and len(core) <= 16
        finally:
            td.exec(f"op('{component}').par.Toolset = 'all'")


async def test_nothing_of_all_this_touched_touchdesigner_off_its_main_thread(td: StandIn) -> None:
    assert td.stats()["thread_conflicts"] == 0
    assert td.strays == []
