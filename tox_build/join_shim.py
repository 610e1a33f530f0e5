"""Joins the shim's source (`tox_build/shim/`) into the one file that clients start, `stdio_shim/__main__.py`.

    python -m tox_build.join_shim            writes it
    python -m tox_build.join_shim --check    fails if what is there is something else

The parts are ordinary modules that import each other. Of each, what stands below its imports goes into the file as it
is; its imports are needed once, or not at all, since everything is then in one place. Names must therefore differ
between all parts, which is checked.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "shim"
SHIM = Path(__file__).resolve().parent.parent / "stdio_shim" / "__main__.py"

#: What needs nothing comes first. The docstring of the last is that of the whole.
PARTS = (
    "constants", "background", "messages", "connections", "processes", "private_files", "targets", "instances", "built_in", "known", "projects",
    "flights", "servers", "sessions", "subscriptions", "answering", "forwarding", "proxy", "program",
)  # fmt: skip

_RULE = 118


def joined(folder: Path = SOURCE) -> str:
    """The one file.

    Raises:
        ValueError: a name is in two parts, or a part imports what the file may not have.
    """
    parts = [_Part(name, (folder / f"{name}.py").read_text(encoding="utf-8")) for name in PARTS]
    owner: dict[str, str] = {}
    for part in parts:
        for name in part.names:
            if owner.setdefault(name, part.name) != part.name:
                raise ValueError(f"{name} is in {owner[name]} and in {part.name}")
    lines = [f'"""{parts[-1].docstring}"""', ""]
    lines += ["# Made of the modules in tox_build/shim by `python -m tox_build.join_shim`. Change those.", ""]
    lines += ["from __future__ import annotations", ""]
    lines += [f"import {name}" for name in sorted({name for part in parts for name in part.libraries})]
    # Without `typing`, which takes its time to import.
    lines += ["", "TYPE_CHECKING = False", "if TYPE_CHECKING:"]
    types: dict[str, set[str]] = {}
    for part in parts:
        for module, name in part.types:
            types.setdefault(module, set()).add(name)
    lines += [
        f"    from {module} import {', '.join(sorted(names))}" for module, names in sorted(types.items())
    ]
    for part in parts:
        rule = f"# {'-' * (_RULE - len(part.name) - 3)} {part.name}"
        lines += ["", "", rule]
        if part is not parts[-1]:
            lines += [f"# {line}".rstrip() for line in part.docstring.splitlines()]
        lines += ["", *([""] if part.begins_with_definition else []), part.text]
    return "\n".join(lines) + "\n"


class _Part:
    """One module, taken apart."""

    def __init__(self, name: str, source: str) -> None:
        tree = ast.parse(source)
        self.name = name
        self.docstring = ast.get_docstring(tree, clean=False) or ""
        self.libraries: set[str] = set()
        self.types: set[tuple[str, str]] = set()
        head = [
            node
            for node in tree.body[1:]
            if isinstance(node, ast.Import | ast.ImportFrom) or _for_types(node)
        ]
        for node in head:
            self._imported(node)
        body = tree.body[1 + len(head) :]
        if tree.body[1 : 1 + len(head)] != head:
            raise ValueError(f"{name}: imports stand at its head, and nowhere else")
        last = max((node.end_lineno or 0 for node in tree.body[: 1 + len(head)]), default=0)
        self.text = "".join(source.splitlines(keepends=True)[last:]).strip("\n")
        self.begins_with_definition = not self.text.startswith("#") and isinstance(
            body[0], ast.FunctionDef | ast.ClassDef
        )
        self.names = set(_names(body))

    def _imported(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import):
            self.libraries |= {alias.name for alias in node.names}
        elif isinstance(node, ast.If):
            for inner in node.body:
                assert isinstance(inner, ast.ImportFrom) and inner.module
                self.types |= {(inner.module, alias.name) for alias in inner.names}
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(
            ("tox_build.shim.", "typing", "__future__")
        ):
            raise ValueError(f"{self.name}: write `import {node.module}`")


def _for_types(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _names(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def write(shim: Path = SHIM, *, check: bool = False) -> bool:
    """Bring the file up to date; returns whether it was. With `check` nothing is written."""
    text = joined()
    if shim.exists() and shim.read_text(encoding="utf-8") == text:
        return True
    if not check:
        shim.write_text(text, encoding="utf-8", newline="\n")
    return False


def main(arguments: list[str]) -> int:
    check = arguments == ["--check"]
    if arguments and not check:
        print(__doc__, file=sys.stderr)
        return 2
    if not write(check=check) and check:
        print("stdio_shim/__main__.py is out of date: python -m tox_build.join_shim", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
