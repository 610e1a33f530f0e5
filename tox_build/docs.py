"""The reference page of the component's parameters, `docs/parameters.md`, made from its description."""

from __future__ import annotations

from td_component.description import TDMCP
from td_component.model import Component, Parameter, Style

_HEAD = """# Parameters of the component

<!-- Made by `python -m tox_build --reference docs/parameters.md` from td_component/description.py. Do not edit. -->

The component's custom parameters, page by page. A change takes effect at the next frame; only *Address*, *Port*, *Port
Scan*, *Announce*, *OAuth* and the TLS files restart the server. Where a value cannot be used, *Status* says why; a
server that runs goes on with the former value.
"""


def reference(component: Component = TDMCP) -> str:
    """The page as Markdown."""
    parts = [_HEAD]
    for page in component.pages:
        parts.append(
            f"\n## {page.name}\n\n| parameter | name | default | what it does |\n|---|---|---|---|\n"
        )
        parts += [f"{_row(parameter)}\n" for parameter in page.parameters]
    return "".join(parts)


def _row(parameter: Parameter) -> str:
    return f"| {parameter.label} | `{parameter.name}` | {_default(parameter)} | {parameter.help}{_choices(parameter)} |"


def _default(parameter: Parameter) -> str:
    if parameter.style is Style.PULSE:
        return "*pulse*"
    if parameter.read_only:
        return "*read-out*"
    if isinstance(parameter.default, bool):
        return "on" if parameter.default else "off"
    return f"`{parameter.default}`" if parameter.default != "" else "*empty*"


def _choices(parameter: Parameter) -> str:
    if parameter.menu:
        return " One of " + ", ".join(f"`{name}`" for name, _ in parameter.menu) + "."
    limits = parameter.range
    if limits is None:
        return ""
    if limits.high is None:
        return f" At least {limits.low:g}."
    return f" From {limits.low or 0:g} to {limits.high:g}."
