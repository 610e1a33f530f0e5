"""define_parameters: custom pages and parameters of a COMP, made or changed without losing values."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath, forms
from tdmcp_embedded.tools.extension_report import build_extensions
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import custom, custom_check, customs, describe, lookup


class DefineParameters(Arguments):
    path: str = Field(description="path of a COMP")
    pages: forms.Pages = Field(default=[])
    rename: dict[str, str] = Field(default={}, description="{old name: new name}; done first, values stay")
    remove: list[str] = Field(default=[], description="custom parameters to take away (whole vectors)")


class DefinedParameters(aftermath.Edited):
    path: str
    changed: list[str] = Field(description="parameters made or changed")
    removed: list[str] = Field(default=[])
    renamed: dict[str, str] = Field(default={})
    notes: list[str] = Field(default=[], description="where what is there differs from what was asked")
    pages: list[dict[str, Any]] = Field(description="the custom pages as they are now")
    values: dict[str, Any] = Field(description="value of each custom parameter, as a network states it")

    def text(self) -> str:
        lines = [f"{self.path}: changed {', '.join(self.changed) or 'nothing'}"]
        if self.removed:
            lines.append("removed " + ", ".join(self.removed))
        if self.renamed:
            lines.append("renamed " + ", ".join(f"{old} to {new}" for old, new in self.renamed.items()))
        for page in self.pages:
            shown = ", ".join(f"{p['name']} ({p['style']})" for p in page["parameters"])
            lines.append(f"page {page['name']}: {shown}")
        lines.append("values: " + ", ".join(f"{k}={v}" for k, v in self.values.items()))
        return "\n".join([*lines, *self.notes, self.trailer()])


def define_parameters(call: Call, given: DefineParameters) -> Steps[DefinedParameters]:
    access = aftermath.access(call)
    comp = lookup.operator(call.td, given.path)
    access.target(comp)
    pages = [page.compact() | {"parameters": [p.compact() for p in page.parameters]} for page in given.pages]
    watch = aftermath.Watch()
    watch.before([comp])
    if given.rename:
        custom.rename(comp, given.rename, access)
    custom_check.check(comp, pages, access)
    notes: list[str] = []
    custom.remove(comp, given.remove)
    changed = custom.define(comp, pages, ranges=True, notes=notes)
    names_gone = aftermath.names_gone()
    output = DefinedParameters(
        path=str(comp.path),
        changed=changed,
        removed=given.remove,
        renamed=given.rename,
        notes=notes,
        pages=customs.pages(comp),
        values={
            str(par.name): describe.stated(par)
            for par in comp.customPars
            if not (par.isPulse or par.isMomentary)
        },
        undo=aftermath.done(call, bool(changed or given.remove or given.rename)),
    )
    if not comp.extensionsReady:
        # It may have waited for just these parameters.
        output.extensions = yield from build_extensions(call, comps=[output.path])
    output.problems = yield from watch.after(call, [output.path])
    # What names a parameter does not follow when it is renamed.
    output.broken_references = yield from aftermath.broken_references(call, {}, names_gone)
    return output


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
