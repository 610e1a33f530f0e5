"""The full build, where nothing but TouchDesigner's own packages can be imported and the repository is out of reach."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from fakes.demo.story import tell
from fakes.demo.transcript import Transcript
from fakes.driver import StandIn
from td_component import private_imports
from td_component.description import TDMCP
from tests.integration.bare_td import bare_td, built, carried, import_path
from tests.integration.component import COMPONENT, answers, entries, par, quick, serving, until
from tox_build import archive
from tox_build.build import build
from tox_build.payload import digest

MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("full build")


@pytest.fixture(scope="module")
def report(place):
    return built(place / "build")


@pytest.fixture(scope="module")
def site(place):
    return import_path(place)


@pytest.fixture(scope="module")
def home(place):
    return place / "日本語 home"


@pytest.fixture(scope="module")
def both(place, report, site, home):
    """Two that were started at once, with a home where nothing was unpacked."""

    def start(scene):
        return bare_td(place, report.toc, "--scene", scene, home=home, site=site)

    (place / "cwd").mkdir()
    with ThreadPoolExecutor(2) as pool:
        started = [pool.submit(start, scene) for scene in ("demo", "empty")]
    with started[0].result() as one, started[1].result() as two:
        yield one, two
        assert one.stats()["thread_conflicts"] == 0
        assert one.strays == []


@pytest.fixture(scope="module")
def td(both):
    return both[0]


@pytest.fixture(scope="module")
def bare(place, site, tmp_path_factory):
    """One without a component, where the server's package cannot be imported."""
    with StandIn(
        "--bare",
        "--scene",
        "empty",
        home=place / "another home",
        environment={"PYTHONPATH": str(site), "PYTHONNOUSERSITE": "1", "PYTHONPYCACHEPREFIX": ""},
        command=(sys.executable, "-S", "-m", "fakes"),
        cwd=place,
    ) as stand_in:
        yield stand_in


def unpacked(home):
    return [path for path in (home / ".tdmcp" / "lib").iterdir() if not path.name.startswith(".")]


def test_the_sizes_are_those_that_were_promised(report):
    assert report.carried < 6 * MEGABYTE
    three = carried("win_amd64", "macosx_arm64", "macosx_x86_64")
    assert sum(len(part) for packed in three.archives.values() for part in packed.parts) < 12 * MEGABYTE


def test_no_part_is_longer_than_a_dat_is_comfortable_with(report):
    assert max(path.stat().st_size for path in report.folder.rglob("payload_*.text")) < 600_000


def test_two_touchdesigners_that_start_at_once_unpack_once_and_both_serve(both, home):
    one, two = both
    assert len(unpacked(home)) == 1
    assert one.url != two.url and answers(one.url) and answers(two.url)
    listed = {(entry["pid"], entry["component"]) for entry in entries(one)}
    assert listed == {(td.ready["pid"], td.ready["component"]) for td in both}
    two.close()
    assert [entry["pid"] for entry in entries(one)] == [one.ready["pid"]]


@pytest.mark.anyio
async def test_the_demo_passes(td, tmp_path):
    shim = StdioServerParameters(
        command=sys.executable,
        args=[str(Path(__file__).parents[2] / "stdio_shim" / "__main__.py")],
        env={**os.environ, "HOME": str(td.home), "TDMCP_HOME": str(td.home / ".tdmcp")},
    )
    transcript = Transcript()
    async with (
        Client(shim, mode="legacy") as desktop,
        httpx2.AsyncClient(headers=td.headers, timeout=httpx2.Timeout(120, read=300)) as http,
        Client(streamable_http_client(td.url, http_client=http)) as remote,
    ):
        await tell(td, desktop, remote, tmp_path, transcript)
    assert transcript.ok


def test_scripts_of_the_project_import_what_they_did_before(td):
    names = (
        "mcp",
        "pydantic",
        "pydantic_core",
        "anyio",
        "starlette",
        "uvicorn",
        "typing_extensions",
        "click",
    )
    code = f"import importlib.util\n[n for n in {names} if importlib.util.find_spec(n) is not None]"
    assert td.exec(code) == "[]"
    assert td.exec(
        "import attr, jsonschema, sys\nattr.__version__, [p for p in sys.path if '.tdmcp' in p]"
    ) == ("('23.2.0', [])")


def test_the_code_came_out_of_the_component_into_the_home(td, home):
    (folder,) = unpacked(home)
    where = td.exec("import tdmcp_embedded\ntdmcp_embedded.__file__")[1:-1]
    assert Path(where) == folder / "code" / "tdmcp_embedded" / "__init__.py"


def test_a_copy_of_the_component_serves_at_once_from_what_is_unpacked(td, home):
    td.exec(f"op('/project1').copy({COMPONENT}, name='second')")
    second = until(lambda: par(td, "Url", "op('/project1/second')"), lambda url: url not in ("", td.url))
    assert answers(second) and len(unpacked(home)) == 1
    td.exec("op('/project1/second').destroy()")
    until(lambda: td.exec("1") and len(entries(td)), 1)


def test_the_project_with_it_can_be_saved(td):
    td.do("save", seconds=0.1)
    assert answers(serving(td))


def test_self_test_runs_from_inside_the_component_finds_no_difference_and_clears_up(td, home):
    before = td.exec("len(op('/').findChildren(includeUtility=True))")
    theirs = "[ui.undo.undoStack, ui.undo.redoStack, root.time.play]"
    td.exec("""
comp = op('/project1').create(baseCOMP, 'theirs')
for name in ('kept', 'undone'):
    ui.undo.startBlock(name)
    comp.nodeX += 10
    ui.undo.endBlock()
ui.undo.undo()
comp.destroy()
""")
    lists = td.exec(theirs)
    assert "kept" in lists and "undone" in lists
    with quick(td):
        td.exec(f"{COMPONENT}.par.Selftest.pulse()")
        said = until(lambda: par(td, "Report"), lambda said: "The report:" in said, tries=3000, pause=0.1)
    path = Path(said.partition("The report: ")[2])
    report = json.loads(path.with_suffix(".json").read_text("utf-8"))
    totals = report["totals"]
    assert report["complete"] and totals["holds"] > 280
    assert (totals["differs"], totals["not faked"]) == (0, 0), path.read_text("utf-8")
    answers_of = {row["question"]: row["answer"] for row in report["questions"]}
    answered = sum(answer in ("yes", "no") for answer in answers_of.values())
    assert said.startswith(
        f"Self Test: {answered} of {len(answers_of)} questions answered; "
        f"{totals['holds']} holds, {totals['left out']} left out. The report: "
    )
    assert path.read_text("utf-8").splitlines()[2] == "Questions that only TouchDesigner can answer"
    assert answers_of["Has every operator OPType?"] == "yes"
    # Somebody has something to undo, so what would disturb it is asked in words.
    assert answers_of["Does the undo list keep 250 steps?"] == "not asked"
    assert td.exec(theirs) == lists
    assert path.parent == home / ".tdmcp" / "reports"
    assert td.exec("len(op('/').findChildren(includeUtility=True))") == before
    assert answers(td.url)


def test_a_newer_version_dropped_beside_it_says_restart_and_is_served_by_the_old_one(td, place):
    newer = build(place / "newer", TDMCP, _newer("999.0"))
    td.do("drop_component", component=str(newer.toc))
    name = "op('/project1/tdmcp1')"
    status = until(lambda: par(td, "Status", name), lambda said: said.startswith("Serving at"))
    assert "Restart TouchDesigner to use version 999.0; until then version" in status
    assert answers(par(td, "Url", name)) and answers(td.url)
    td.do("delete_component")
    until(lambda: td.exec("1") and len(entries(td)), 1)


def _newer(version):
    """A payload that says it is another version; its code is never run."""
    files = {
        "code/tdmcp_embedded/__init__.py": f"__version__ = {version!r}\n".encode(),
        "libraries/none.py": b"",
        "private_imports.py": Path(private_imports.__file__).read_bytes(),
    }
    this = carried()
    code = archive.pack(files)
    source = digest({"tdmcp_embedded/__init__.py": files["code/tdmcp_embedded/__init__.py"]})
    # What `build` reads back are the files below code/ alone.
    return dataclasses.replace(this, archives={**this.archives, "code": code}, source=source, version=version)


#: Notes the modules that the main thread does not find in memory, from here on.
WATCH = """
import sys, threading
seen = []
def watch(event, arguments):
    if event == "import" and threading.current_thread() is threading.main_thread():
        seen.append(arguments[0])
sys.addaudithook(watch)
"""


def test_the_slim_build_says_that_the_package_is_missing_and_how_to_get_it(bare, place):
    bare.do("drop_component", component=str(build(place / "slim").toc))
    until(
        lambda: par(bare, "Status"), lambda said: said.startswith("The Python package tdmcp-embedded is not")
    )
    assert "pip install tdmcp-embedded" in par(bare, "Status") and par(bare, "Url") == ""
    bare.do("delete_component")


def test_what_cannot_be_unpacked_is_said_and_a_fresh_copy_starts_without_imports_on_the_main_thread(
    bare, report, tmp_path
):
    broken = tmp_path / "broken"
    shutil.copytree(report.folder, broken / report.folder.name)
    shutil.copy(report.toc, broken)
    part = broken / report.folder.name / "tdmcp" / "payload_code_1.text"
    data = part.read_bytes()
    part.write_bytes(data[:500] + (b"A" if data[500:501] != b"A" else b"B") + data[501:])
    bare.do("drop_component", component=str(broken / "tdmcp.tox.toc"))
    until(lambda: par(bare, "Status"), lambda said: "damaged (code): put a fresh copy" in said)
    assert par(bare, "Url") == ""
    bare.do("delete_component")
    bare.exec(WATCH)
    bare.do("drop_component", component=str(report.toc))
    until(lambda: par(bare, "Status"), lambda said: said.startswith("Serving at"), tries=9000)
    seen = bare.exec("[name for name in seen if not name.startswith('fakes.')]")
    # `embed` itself is a file of one screenful of imports that are all there by then.
    assert eval(seen) == ["tdmcp_embedded.embed"]
