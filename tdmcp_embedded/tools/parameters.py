"""set_parameters: many parameters of many operators, refused as a whole if one is wrong."""

from __future__ import annotations

from pydantic import BaseModel, Field

from tdmcp_embedded.errors import ToolFailure
from tdmcp_embedded.settings import Level
from tdmcp_embedded.tools import aftermath, forms
from tdmcp_embedded.tools.building import WrittenParameters
from tdmcp_embedded.tools.creating import settled_notes
from tdmcp_embedded.tools.extension_report import build_extensions, declaring
from tdmcp_embedded.tools.network_model import plain_value
from tdmcp_embedded.tools.tool import Arguments, Call, Effect, Steps, Tool
from tdmcp_embedded.touchdesigner import lookup, parameters
from tdmcp_embedded.touchdesigner.builds import find
from tdmcp_embedded.touchdesigner.values import Json, clean, cut
from tdmcp_embedded.wording import counted


class Change(BaseModel, extra="forbid"):
    """Parameters to set on one operator."""

    path: str
    params: forms.Params


class SetParameters(Arguments):
    changes: list[Change] = Field(min_length=1, max_length=500, description="by operator")
    partial: bool = Field(default=False, description="write what is right even if some is wrong")


class Refused(BaseModel):
    """One parameter that was not written."""

    path: str
    parameter: str = ""
    code: str
    message: str
    suggestions: list[str] = []


class ParametersSet(aftermath.Edited):
    changed: int = Field(description="parameters that are not as they were")
    operators: list[WrittenParameters]
    refused: list[Refused] = Field(default=[], description="only with partial")

    def text(self) -> str:
        lines = [
            f"{counted(self.changed, 'parameter')} changed",
            *(written.line() for written in self.operators),
        ]
        for refused in self.refused:
            near = f" Did you mean: {', '.join(refused.suggestions)}" if refused.suggestions else ""
            lines.append(f"refused ({refused.code}): {refused.message}{near}")
        return "\n".join([*lines, self.trailer()])


def set_parameters(call: Call, arguments: SetParameters) -> Steps[ParametersSet]:
    access = aftermath.access(call)
    plans: list[parameters.Plan] = []
    refused: list[Refused] = []
    failures: list[ToolFailure] = []
    asked: dict[str, dict[str, Json]] = {}
    for change in arguments.changes:
        params = {name: plain_value(value) for name, value in change.params.items()}
        try:
            operator = lookup.operator(call.td, change.path)
        except ToolFailure as failure:
            failures.append(failure)
            refused.append(_refused(change.path, "", failure))
            continue
        plan, wrong = parameters.plan_each(operator, params, access)
        plans.append(plan)
        asked[str(operator.path)] = params
        failures += wrong.values()
        refused += [_refused(str(operator.path), name, failure) for name, failure in wrong.items()]
    if failures and (not arguments.partial or not any(plan.writes or plan.sequences for plan in plans)):
        first = failures[0]
        if len(failures) > 1:
            first.details["also"] = [r.model_dump(exclude_defaults=True) for r in refused[1:20]]
        raise first
    watch = aftermath.Watch()
    watch.before(plan.operator for plan in plans)
    written = [parameters.apply(plan) for plan in plans]
    changed = sum(w.changed for w in written)
    access.left(plan.operator for plan in plans)
    output = ParametersSet(
        changed=changed,
        operators=_shown(written),
        refused=refused,
        undo=aftermath.done(call, changed > 0),
    )
    output.extensions = yield from build_extensions(call, comps=declaring(written))
    output.problems = yield from watch.after(call, [w.path for w in written])
    yield from aftermath.reread(call, written)
    output.operators = _shown(written)
    for each in output.operators:
        each.notes = aftermath.unrepeated(each.notes, output.problems, each.path)
        each.notes += settled_notes(find(call.td, each.path), asked.get(each.path, {}))
    return output


def _shown(written: list[parameters.Written]) -> list[WrittenParameters]:
    return [
        WrittenParameters(path=w.path, params=w.params, values=w.values, notes=w.notes)
        for w in written
        if w.params or w.notes
    ]


def _refused(path: str, name: str, failure: ToolFailure) -> Refused:
    return Refused(
        path=path,
        parameter=cut(clean(name), 80),
        code=failure.code.value,
        message=cut(failure.message, 200),
        suggestions=failure.suggestions,
    )


TOOLS: list[Tool] = [
    Tool(
        name="set_parameters",
        title="Set parameters",
        description=(
            "Set parameters of many operators at once. All is checked first: one wrong name or menu word "
            "refuses the whole, with near matches (unless partial). Returns each value read back, what "
            "clamping or exports did to it, and errors one frame later."
        ),
        level=Level.EDIT,
        effect=Effect.EDIT,
        arguments=SetParameters,
        output=ParametersSet,
        run=set_parameters,
        idempotent=True,
        core=True,
    )
]
