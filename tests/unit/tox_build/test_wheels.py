"""Wheels come from the lock, by name and hash, and those that are kept are not fetched again."""

import hashlib
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from tox_build import archive, libraries, wheels

LOCK = """
small-thing==1.2 \\
    --hash=sha256:{digest}
other==3.0 ; sys_platform == 'win32' \\
    --hash=sha256:{digest}
numpy==2.4.6 ; python_full_version < '3.12' \\
    --hash=sha256:{digest}
numpy==2.5.5 ; python_full_version >= '3.12' \\
    --hash=sha256:{digest}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    def no_network(*args, **options):
        return subprocess.CompletedProcess(args, 1, "", "ERROR: no network")

    monkeypatch.setattr(subprocess, "run", no_network)
    return tmp_path / "wheels"


def keep(folder, tag="py3-none-any", files=(("small_thing/__init__.py", b"A = 1\n"),)):
    folder.mkdir(exist_ok=True)
    wheel = folder / f"small_thing-1.2-{tag}.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        for name, data in files:
            made.writestr(name, data)
    lock = folder.parent / "locked.txt"
    lock.write_text(LOCK.format(digest=hashlib.sha256(wheel.read_bytes()).hexdigest()))
    return wheel, lock


def test_the_lock_names_no_address_and_has_every_library_with_hashes():
    text = wheels.LOCKED.read_text()
    assert "://" not in text and "--index" not in text and "--find-links" not in text
    pinned = wheels.pinned()
    for name in (*libraries.PURE, *libraries.NATIVE):
        assert pinned[wheels.normal(name)].hashes, name


def test_of_two_lines_the_one_for_touchdesigners_python_counts(folder):
    _, lock = keep(folder)
    assert wheels.pinned(lock)["numpy"].version == "2.4.6"


def test_a_kept_wheel_is_used_without_the_network(folder):
    wheel, lock = keep(folder)
    assert wheels.fetch(["small_thing"], "win_amd64", folder, lock) == [wheel]


@pytest.mark.parametrize("tag", ["cp311-cp311-macosx_11_0_arm64", "cp312-cp312-win_amd64"])
def test_a_wheel_for_another_system_or_python_does_not_do(folder, tag):
    _, lock = keep(folder, tag)
    with pytest.raises(wheels.CannotFetch, match="pip cannot fetch the wheels for win_amd64"):
        wheels.fetch(["small-thing"], "win_amd64", folder, lock)


def test_a_wheel_with_another_hash_does_not_do(folder):
    wheel, lock = keep(folder)
    wheel.write_bytes(wheel.read_bytes() + b" ")
    with pytest.raises(wheels.CannotFetch, match="no network"):
        wheels.fetch(["small-thing"], "win_amd64", folder, lock)


def test_what_is_not_in_the_lock_is_named(folder):
    _, lock = keep(folder)
    with pytest.raises(wheels.CannotFetch, match="unheard-of: not in locked.txt"):
        wheels.fetch(["unheard-of"], "win_amd64", folder, lock)


def test_of_a_wheel_only_what_a_server_imports_travels(folder):
    files = (
        ("mcp/server/__init__.py", b""),
        ("mcp/cli/cli.py", b""),
        ("mcp/py.typed", b""),
        ("pydantic/v1/main.py", b""),
        ("mcp-2.dist-info/METADATA", b"Name: mcp\nVersion: 2\n\nThe whole web page"),
        ("mcp-2.dist-info/RECORD", b""),
        ("mcp-2.data/scripts/mcp", b""),
    )
    wheel, _ = keep(folder, files=files)
    assert libraries.taken(wheel) == {
        "mcp/server/__init__.py": b"",
        "mcp-2.dist-info/METADATA": b"Name: mcp\nVersion: 2\n",
    }


def test_what_is_required_and_stays_out_has_its_reason():
    """Every distribution that the server's requirements bring is in one of the lists."""
    from importlib.metadata import requires

    seen, todo = set(), ["tdmcp-embedded"]
    while todo:
        name = todo.pop()
        if name in libraries.LEFT_OUT or name in seen:
            continue
        seen.add(name)
        for line in requires(name) or []:
            wanted, _, marker = line.partition(";")
            if "extra" not in marker and "python_version <" not in marker and "emscripten" not in marker:
                todo.append(wheels.normal(re.match(r"[\w.-]+", wanted)[0]))
    assert seen - {"tdmcp-embedded"} <= {*libraries.PURE, *libraries.NATIVE}


def test_the_same_files_pack_to_the_same_text_in_any_order():
    files = {"b/two.py": b"2", "a/one.so": b"1", "c.json": b"3"}
    one, two = archive.pack(files), archive.pack(dict(reversed(files.items())))
    assert one == two and one.files == 3 and one.size == 3


def test_a_wheel_is_kept_once_it_is_whole_and_another_build_at_the_same_time_does_no_harm(
    folder, monkeypatch
):
    wheel, lock = keep(folder)
    data = wheel.read_bytes()
    wheel.unlink()

    def fetching(command, **options):
        place = Path(command[command.index("-d") + 1])
        (place / wheel.name).write_bytes(data[:10])
        assert list(folder.glob("*.whl")) == [], "half a wheel is where others look for them"
        (place / wheel.name).write_bytes(data)
        wheel.write_bytes(data)  # the other build's
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", fetching)
    assert wheels.fetch(["small_thing"], "win_amd64", folder, lock) == [wheel]
    assert [path.name for path in folder.iterdir()] == [wheel.name]
