"""define_parameters: custom pages and parameters of a COMP, made or changed without losing values."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath, forms
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import custom, custom_check, customs, describe, lookup


class DefineParameters(Arguments):
    path: str = Field(description="path of a COMP")
    pages: forms.Pages = Field(default=[])
    remove: list[str] = Field(default=[], description="custom parameters to take away (whole vectors)")


class DefinedParameters(aftermath.Edited):
    path: str
    changed: list[str] = Field(description="parameters made or changed")
    removed: list[str] = Field(default=[])
    pages: list[dict[str, Any]] = Field(description="the custom pages as they are now")
    values: dict[str, Any] = Field(description="value of each custom parameter, as a network states it")

    def text(self) -> str:
        lines = [f"{self.path}: changed {', '.join(self.changed) or 'nothing'}"]
        if self.removed:
            lines.append("removed " + ", ".join(self.removed))
        for page in self.pages:
            shown = ", ".join(f"{p['name']} ({p['style']})" for p in page["parameters"])
            lines.append(f"page {page['name']}: {shown}")
        lines.append("values: " + ", ".join(f"{k}={v}" for k, v in self.values.items()))
        return "\n".join([*lines, self.trailer()])


def define_parameters(call: Call, given: DefineParameters) -> Steps[DefinedParameters]:
    access = aftermath.access(call)
    comp = lookup.operator(call.td, given.path)
    access.target(comp)
    pages = [page.compact() | {"parameters": [p.compact() for p in page.parameters]} for page in given.pages]
    for page in pages:
        for definition in page["parameters"]:
            # A slider that ends before its parameter does is of little use.
            if "norm" not in definition and _number(definition.get("min")) and _number(definition.get("max")):
                definition["norm"] = [definition["min"], definition["max"]]
    custom_check.check(comp, pages, access)
    watch = aftermath.Watch()
    watch.before([comp])
    custom.remove(comp, given.remove)
    changed = custom.define(comp, pages)
    output = DefinedParameters(
        path=str(comp.path),
        changed=changed,
        removed=given.remove,
        pages=customs.pages(comp),
        values={
            str(par.name): describe.stated(par)
            for par in comp.customPars
            if not (par.isPulse or par.isMomentary)
        },
        undo=aftermath.done(call, bool(changed or given.remove)),
    )
    output.problems = yield from watch.after(call, [output.path])
    return output


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


TOOLS = [
    Tool(
        name="define_parameters",
        title="Define parameters",
        description=(
            "Give a COMP custom pages and parameters of any style (Float, Int, Toggle, Menu, Str, XYZ, RGBA, Pulse …), "
            "or change those it has; values stay. Names are one capital, then small letters and digits. Set values, "
            "expressions and binds with set_parameters afterwards. All or nothing."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=DefineParameters,
        output=DefinedParameters,
        run=define_parameters,
        idempotent=True,
    )
]
