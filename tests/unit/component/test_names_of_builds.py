"""Every name of TouchDesigner that the product uses is in all supported builds, or asked for with a fall-back."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from fakes import api_index, builds

ROOT = Path(__file__).parents[3]
FOLDERS = ("tdmcp_embedded", "td_component", "tox_build/templates", "tests/contract")
#: Where a name is settled: the one place that may ask for what only some builds have.
SETTLED = {"tdmcp_embedded/touchdesigner/builds.py"}

#: Members that some profile lacks, by name alone, since the walk cannot tell of which object they are asked.
LACKED = {name.partition(".")[2]: name for build in builds.BUILDS.values() for name in build.absent}
#: Names that other classes have as well, in every build: `par.isCustom`, `page.isCustom`.
SHARED = {"isCustom"}
#: Of classes that are not TouchDesigner's.
OTHERS = {("tdmcp_embedded/tools/saving.py", "modified")}
#: Files that ask on purpose whether a build has a name.
ASKING = {"tests/contract/questions.py"}


@cache
def sources() -> tuple[tuple[str, tuple[ast.AST, ...]], ...]:
    """Every file, and all nodes of its tree."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple(
        (path.relative_to(ROOT).as_posix(), tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8")))))
        for path in paths
    )


def fallbacks(nodes: Iterable[ast.AST]) -> set[int]:
    """Lines inside a `try`, a `lambda` of a reader that is tried, or a function that catches what is missing."""
    lines: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Try) and node.handlers:
            for part in node.body:
                lines.update(range(part.lineno, (part.end_lineno or part.lineno) + 1))
    return lines


def used(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, int]]:
    """Attributes that are read by their name, and names in a `getattr` without a default."""
    for node in nodes:
        if isinstance(node, ast.Attribute):
            yield node.attr, node.lineno
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "getattr"
            and len(node.args) == 2
            and isinstance(node.args[1], ast.Constant)
        ):
            yield str(node.args[1].value), node.lineno


def test_no_name_is_used_that_a_supported_build_lacks() -> None:
    wrong = []
    for path, nodes in sources():
        covered = fallbacks(nodes)
        for name, line in used(nodes):
            if name not in LACKED or name in SHARED or path in SETTLED | ASKING or (path, name) in OTHERS:
                continue
            if (
                line in covered or path == "tdmcp_embedded/host_facts.py"
            ):  # each reader there is tried by itself
                continue
            wrong.append(f"{path}:{line} uses {LACKED[name]}")
    assert wrong == []


def test_no_class_of_operators_is_named_that_a_supported_build_lacks() -> None:
    """`td.POP`, `td.gridPOP` …: in strings they are types that an agent asks for; as attributes of `td` they would raise."""
    families = set.union(
        *({*builds.BUILDS[builds.NEWEST].families} - b.families for b in builds.BUILDS.values())
    )
    classes = {c for c in api_index.index() if families & {c, *api_index.bases_of(c)}} | families
    wrong = [
        f"{path}:{node.lineno} uses td.{node.attr}"
        for path, nodes in sources()
        if not path.startswith("tests/")  # those say what they need: `@needs("POP")`
        for node in nodes
        if isinstance(node, ast.Attribute)
        and node.attr in classes
        and isinstance(node.value, ast.Name | ast.Attribute)
        and getattr(node.value, "id", getattr(node.value, "attr", "")) in ("td", "_td")
    ]
    assert families == {"POP"} and wrong == []


def test_functions_are_scheduled_by_the_helper_that_works_in_every_build() -> None:
    wrong = []
    for path, nodes in sources():
        for node in nodes:
            if not (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "run"
            ):
                continue
            whose = node.func.value
            if getattr(whose, "id", getattr(whose, "attr", "")) not in ("td", "_td") or path.startswith(
                "tests/"
            ):
                continue
            if not (isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)):
                wrong.append(f"{path}:{node.lineno}")
    assert wrong == []


def test_the_thread_manager_is_asked_for_where_its_absence_is_caught() -> None:
    for path, nodes in sources():
        covered = fallbacks(nodes)
        for name, line in used(nodes):
            if name == "ThreadManager" and not path.startswith("tests/"):
                assert line in covered, f"{path}:{line}"


def test_every_profile_speaks_of_names_that_are_known() -> None:
    # `Project.modified` and `FileSaveStatus.isCompleted` are seen live, not in the index.
    for build in builds.BUILDS.values():
        for name in build.absent - {"Project.modified", "FileSaveStatus.isCompleted"}:
            owner, _, member = name.partition(".")
            assert member in api_index.names_of(owner), name
