"""The pages: the dashboard, and the network viewer that clients show as an MCP App. Plain JavaScript and CSS.

There is no build: the modules stand here as they are written, and are put together when somebody asks for a page, into
one script. The app must be one document without a single address in it, and the dashboard then needs three requests
instead of twenty.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)
_EXPORTED = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)


def text(name: str) -> str:
    """One file of this folder.

    Raises:
        FileNotFoundError: there is none of that name.
    """
    return files(__package__).joinpath(name).read_text("utf-8")


@cache
def script(entry: str) -> str:
    """A module and all it imports as one script; each keeps a scope of its own.

    Modules import by name (`import { a, b } from "./c.js";`) and export declarations, nothing else.

    Raises:
        ValueError: modules import each other in a circle.
    """
    order: list[str] = []
    _collect(entry, order, ())
    return "\n".join(_wrapped(name, last=name == entry) for name in order)


@cache
def style(*names: str) -> str:
    """Style sheets, one after the other."""
    return "\n".join(text(f"{name}.css") for name in names)


@cache
def app_document() -> str:
    """The network viewer as one document that needs nothing from outside."""
    page = text("app.html")
    page = page.replace("/*STYLE*/", style("theme", "viewer", "app"))
    # A closing tag inside a string of the script would end it for the browser.
    return page.replace("/*SCRIPT*/", script("app").replace("</", "<\\/"))


def _collect(name: str, order: list[str], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"{' imports '.join((*above, name))}: a circle.")
    for _, needed in _IMPORT.findall(text(f"{name}.js")):
        if needed not in order:
            _collect(needed, order, (*above, name))
    order.append(name)


def _wrapped(name: str, *, last: bool) -> str:
    source = text(f"{name}.js")
    exported = ", ".join(_EXPORTED.findall(source))
    body = _EXPORT.sub("", _IMPORT.sub(lambda m: f"const {{{m[1]}}} = {_variable(m[2])};\n", source))
    if last:
        return f"(() => {{\n{body}}})();\n"
    return f"const {_variable(name)} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _variable(name: str) -> str:
    return "module_" + name.replace("-", "_")
