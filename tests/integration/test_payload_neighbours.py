"""The component's libraries and everyone else's: each side gets its own, whoever came first. Each case is a process."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.integration.bare_td import carried, packages, unpacked

#: Decoys that fail on use, with names that ours have, or that people give to files of their own.
DECOYS = (
    "mcp",
    "utils",
    "typing_extensions",
    "pydantic",
    "attrs",
    "attr",
    "jsonschema",
    "anyio",
    "starlette",
    "click",
)

#: Loads the payload as the component does, and imports all that a server needs.
LOAD = """
    import importlib.util, sys
    from pathlib import Path
    folder = Path(FOLDER)
    spec = importlib.util.spec_from_file_location("private_imports", folder / "private_imports.py")
    private = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(private)
    path_before, names_before = list(sys.path), dict(sys.modules)
    def load():
        private.install(folder, "this one")
        from tdmcp_embedded.http.imports import import_all
        import tdmcp_embedded.http.app, tdmcp_embedded.protocol.server, tdmcp_embedded.settings
        import_all()
        settings = tdmcp_embedded.settings.from_parameters({"Port": 1234})
        assert '"port":1234' in settings.model_dump_json() and settings.model_dump()["port"] == 1234
        try:
            tdmcp_embedded.settings.Settings(port=-1)
        except ValueError as error:
            assert "errors.pydantic.dev/2." in error.json()
        return settings.port
    def disturbed():
        "Names that mean something else than before, and names that are not ours."
        # The last two are the standard library's, which lists them nowhere.
        mine = ("tdmcp_embedded", "_tdmcp", "stdio_shim", "_sysconfigdata", "__mp_main__")
        changed = [n for n, m in names_before.items() if sys.modules.get(n) is not m]
        added = [n for n in sys.modules.keys() - names_before.keys()
                 if not n.startswith(mine) and n.partition(".")[0] not in sys.stdlib_module_names]
        return changed, added, sys.path == path_before
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return unpacked(tmp_path_factory.mktemp("payload"))


@pytest.fixture
def decoys(tmp_path):
    place = tmp_path / "decoys"
    place.mkdir()
    for name in DECOYS:
        (place / f"{name}.py").write_text(f"I_AM = 'decoy {name}'\n")
    return place


def run(folder, code, *path):
    """Run code with only these folders on the import path; what it prints as JSON."""
    text = f"FOLDER = {str(folder)!r}\n" + textwrap.dedent(LOAD) + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-S", "-c", text],
        check=False,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(map(str, path)), "PYTHONNOUSERSITE": "1"},
        cwd=folder,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


CHECK = "import json; print(json.dumps([load(), *disturbed()]))"


@pytest.fixture(scope="module")
def alone(folder):
    """What a process says that has nothing but TouchDesigner's own packages beside ours; a start takes seconds."""
    code = """
        import json
        said = {"loaded": [load(), *disturbed()]}
        names = ("mcp", "pydantic", "pydantic_core", "anyio", "starlette", "uvicorn", "typing_extensions")
        said["seen"] = [name for name in names if importlib.util.find_spec(name) is not None]
        finders = list(sys.meta_path)
        said["again"] = [load(), sys.meta_path == finders]
        import tdmcp_embedded
        try:
            private.install(folder, "a newer one")
        except private.AlreadyLoaded as loaded:
            said["newer"] = [loaded.version == tdmcp_embedded.__version__, loaded.identity]
        import tdmcp_embedded.libraries.win32api as win32api, tdmcp_embedded.libraries.pywintypes as pywintypes
        try:
            win32api.SetStdHandle(1, 2)
        except RuntimeError as error:
            said["pywin32"] = [str(error), issubclass(pywintypes.error, Exception)]
        print(json.dumps(said))
    """
    return run(folder, code, packages())


def test_with_touchdesigners_own_packages_alone_it_works_and_adds_only_what_is_touchdesigners(alone):
    port, changed, added, path_same = alone["loaded"]
    assert port == 1234 and changed == [] and path_same
    assert {name.partition(".")[0] for name in added} <= {"cryptography", "_openssl", "_cffi_backend", "idna"}


def test_decoys_on_the_path_reach_neither_ours_nor_lose_their_place(folder, decoys):
    result = run(
        folder,
        """
        import json
        port = load()
        import anyio, mcp, pydantic, typing_extensions, utils
        print(json.dumps([port, [m.I_AM for m in (anyio, mcp, pydantic, typing_extensions, utils)]]))
        """,
        decoys,
        packages(),
    )
    assert result == [
        1234,
        [f"decoy {n}" for n in ("anyio", "mcp", "pydantic", "typing_extensions", "utils")],
    ]


def test_decoys_that_were_imported_before_stay_what_they_were(folder, decoys):
    code = f"for name in {DECOYS}: __import__(name)\nnames_before = dict(sys.modules)\n" + CHECK
    port, changed, _, path_same = run(folder, code, decoys, packages())
    assert port == 1234 and changed == [] and path_same


@pytest.mark.parametrize("first", ["theirs", "ours"])
def test_two_native_cores_of_different_versions_live_in_one_process(folder, first):
    theirs = """
        import pydantic, pydantic_core
        class Model(pydantic.BaseModel):
            size: int
        def ask():
            try:
                Model(size="no number")
            except pydantic.ValidationError as error:
                assert Model(size=1).model_dump_json() == '{"size":1}' and "2.7" in error.json()
                return [Model(size="7").size, error.error_count(), pydantic.VERSION, pydantic_core.__version__]
    """
    ours = "port = load()\n"
    both = [theirs, ours] if first == "theirs" else [ours, theirs]
    result = run(
        folder,
        "\n".join(textwrap.dedent(part) for part in both)
        + textwrap.dedent(
            """
            import json
            from tdmcp_embedded.settings import Settings
            core = sys.modules["tdmcp_embedded.libraries.pydantic_core"].__version__
            refusal = ""
            try:
                Settings(port=-1)
            except ValueError as error:
                refusal = type(error).__module__
            schema = Settings.model_json_schema()["properties"]["port"]["maximum"]
            print(json.dumps([port, ask(), core, refusal, schema]))
            """
        ),
        packages("neighbours"),
        packages(),
    )
    port, answer, core, refusal, schema = result
    assert port == 1234 and answer == [7, 1, "2.7.1", "2.18.2"]
    assert core != "2.18.2" and schema == 65535
    assert refusal.startswith(("pydantic_core", "tdmcp_embedded.libraries."))


def test_plug_ins_of_others_do_not_get_into_ours(folder, tmp_path):
    # pydantic loads every plug-in that any installed distribution offers.
    info = tmp_path / "site" / "meddler-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: meddler\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pydantic]\nmeddler = meddler:plugin\n")
    (tmp_path / "site" / "meddler.py").write_text("plugin = object()\n")
    code = "import json; print(json.dumps([load(), 'meddler' in sys.modules]))"
    assert run(folder, code, tmp_path / "site", packages()) == [1234, False]


def test_code_of_the_project_never_sees_ours(alone):
    assert alone["seen"] == []


def test_a_second_payload_of_the_same_identity_changes_nothing(alone):
    assert alone["again"] == [1234, True]


def test_another_version_is_refused_while_one_is_loaded_and_says_which(alone):
    assert alone["newer"] == [True, "this one"]


def test_a_copy_on_the_path_gives_way_to_the_components_own(folder, tmp_path):
    (tmp_path / "tdmcp_embedded").mkdir()
    (tmp_path / "tdmcp_embedded" / "__init__.py").write_text("raise RuntimeError('an old copy')\n")
    assert run(folder, "import json; print(json.dumps(load()))", tmp_path, packages()) == 1234


def test_the_stand_ins_for_pywin32_have_every_name_the_sdk_imports_and_refuse_to_work(folder, alone):
    said, is_error = alone["pywin32"]
    assert said.startswith("win32api.SetStdHandle: pywin32 does not travel") and is_error
    wanted = set()
    for source in (folder / "libraries" / "mcp").rglob("*.py"):
        words = source.read_text(encoding="utf-8").split()
        wanted |= {w for before, w in itertools.pairwise(words) if before == "import" and "win" in w[:5]}
    assert {w for w in wanted if w.startswith(("pywin", "win32"))} <= {
        path.stem for path in (folder / "libraries").glob("*.py")
    }


def test_a_missing_package_of_touchdesigners_is_named(folder, tmp_path):
    code = """
        import json
        try:
            load()
        except ModuleNotFoundError as error:
            print(json.dumps(error.name.partition(".")[0]))
    """
    assert run(folder, code, tmp_path) in ("cryptography", "idna")


def test_what_travels_is_what_was_fetched_and_what_is_in_the_sources(folder):
    from tox_build.payload import digest

    code = {
        path.relative_to(folder / "code").as_posix(): path.read_bytes()
        for path in (folder / "code").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert digest(code) == carried().source
    assert Path(folder, "libraries", "mcp", "__init__.py").is_file()
