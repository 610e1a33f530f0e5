"""What became of an edit whose answer was lost can be looked up; on a bad network every edit is made once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from fakes.driver import StandIn
from tdmcp_embedded.http.keys import Keys
from tdmcp_embedded.settings import Level
from tests.integration.clients import http_client, structured, text
from tests.integration.lossy import BREAKS, CarefulClient, LossyProxy

pytestmark = pytest.mark.anyio

EDITS = 32
REFUSED = 6

#: (mode of the official client, which makes more requests in one than in the other; share of them that break; seed)
RUNS = [("legacy", 0.08, 1), ("auto", 0.18, 2)]


def prepare(td: StandIn) -> None:
    """What the edits change."""
    td.exec(f"for i in range({EDITS // 2}): op('/project1').create(textDAT, f'log{{i}}').text = 'END'")


def calls() -> dict[str, tuple[str, dict[str, Any]]]:
    """Edits that would show if they were made twice: one word more, or an operator more. By what get_status calls them."""
    made: dict[str, tuple[str, dict[str, Any]]] = {}
    for i in range(EDITS // 2):
        made[f"Write data /project1/log{i}"] = (
            "write_data",
            {"path": f"/project1/log{i}", "replace": [{"old": "END", "new": "done END"}]},
        )
        made[f"Create operator /project1/made{i}"] = (
            "create_operator",
            {"parent": "/project1", "type": "nullTOP", "name": f"made{i}"},
        )
    return made


def refused() -> dict[str, tuple[str, dict[str, Any]]]:
    """Edits that are not made."""
    arguments = {"parent": "/project1", "type": "noTOP"}
    return {
        f"Create operator /project1/no{i}": ("create_operator", {**arguments, "name": f"no{i}"})
        for i in range(REFUSED)
    }


def done_once(td: StandIn) -> None:
    """Each edit is there, and none twice."""
    found = td.exec("{o.name: getattr(o, 'text', '') for o in op('/project1').findChildren(depth=1)}")
    there = {name: said for name, said in eval(found).items() if name.startswith(("log", "made"))}
    logs = {f"log{i}": "done END" for i in range(EDITS // 2)}
    assert there == {**logs, **{f"made{i}": "" for i in range(EDITS // 2)}}


@pytest.mark.parametrize(("mode", "cut", "seed"), RUNS)
async def test_where_connections_break_every_edit_is_made_once_and_known_to_its_client(
    td: StandIn, mode: str, cut: float, seed: int
) -> None:
    prepare(td)
    async with LossyProxy(td.url, seed=seed, cut=cut, latency=0.002) as proxy:
        client = CarefulClient(proxy.url, td.headers, mode)
        answers = await client.edits(calls() | refused())
    assert set(answers) == set(calls() | refused())
    assert {about for about, answer in answers.items() if "code" in answer} == set(refused())
    done_once(td)
    assert set(proxy.breaks) == set(BREAKS), "connections broke in every way"
    assert client.looked_up, "an edit whose answer was lost was not repeated"
    for about, outcome, edit in client.said:
        expected = {"none", "not over"} if about in refused() else {"stands", "not over"}
        # An edit that stands may still be on its way to its answer, and one at work may not stand yet.
        assert edit in expected and (edit != "not over" or outcome == "running"), (about, outcome, edit)
    async with http_client(td) as direct:
        rows = structured(await direct.call_tool("get_status", {}))["recent_edits"]
    became = {row["call"]: row["edit"] for row in rows}
    assert {became[about] for about in refused()} == {"none"}
    assert {edit for about, edit in became.items() if about in calls()} == {"stands"}


async def test_the_last_edits_of_a_key_are_listed_with_outcome_and_their_answers_can_be_had(
    td: StandIn,
) -> None:
    async with http_client(td) as client:
        made = await client.call_tool(
            "create_operator", {"parent": "/project1", "type": "nullTOP", "name": "x"}
        )
        refused = await client.call_tool(
            "create_operator", {"parent": "/project1", "type": "noTOP", "name": "y"}
        )
        await client.call_tool("find_operators", {"path": "/project1"})
        asked = await client.call_tool("get_status", {})
        second, first = structured(asked)["recent_edits"][:2]
        assert first["call"] == "Create operator /project1/x" and first["tool"] == "create_operator"
        assert (first["outcome"], first["edit"]) == ("ok", "stands") and first["time"].endswith("Z")
        assert (second["outcome"], second["edit"]) == ("operator_type_unknown", "none")
        for row in (first, second):
            assert row["call"] in text(asked) and f"{row['outcome']}, edit {row['edit']}" in text(asked)
        again = structured(await client.call_tool("get_job", {"job": first["job"]}))
        assert again["state"] == "done" and again["result"] == structured(made)
        failed = structured(await client.call_tool("get_job", {"job": second["job"]}))
        assert failed["error"]["code"] == structured(refused)["code"]
    async with http_client(td, "legacy") as client:
        assert "get_status lists your last edits" in str(client.instructions)


@contextmanager
def as_guest(td: StandIn) -> Iterator[None]:
    """Calls of `http_client` come with a new key called guest, in place of one that had this name."""
    keys = Keys(td.home / ".tdmcp" / "keys.json")
    keys.revoke("guest")
    ready = td.ready
    td.ready = {**ready, "token": keys.make("guest", Level.EDIT).token}
    try:
        yield
    finally:
        td.ready = ready


async def an_edit(td: StandIn, name: str) -> str:
    """Make an edit; its job."""
    async with http_client(td) as client:
        made = await client.call_tool(
            "create_operator", {"parent": "/project1", "type": "nullTOP", "name": name}
        )
        assert not made.is_error
        return str(structured(await client.call_tool("get_status", {}))["recent_edits"][0]["job"])


async def sees_nothing(td: StandIn, job: str) -> None:
    async with http_client(td) as client:
        assert "recent_edits" not in structured(await client.call_tool("get_status", {}))
        assert "There is no job" in text(await client.call_tool("get_job", {"job": job}))


async def test_a_key_sees_its_own_edits_only(td: StandIn) -> None:
    job = await an_edit(td, "own")
    with as_guest(td):
        await sees_nothing(td, job)


async def test_a_new_key_with_the_name_of_a_removed_one_sees_no_job_of_that(td: StandIn) -> None:
    with as_guest(td):
        job = await an_edit(td, "former")
    with as_guest(td):
        await sees_nothing(td, job)
