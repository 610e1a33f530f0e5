"""Execute DATs that can never fire: TD runs nothing, and says nothing about it."""

from __future__ import annotations

from typing import Any

from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.telling import told

_PANEL = ("offtoon", "whileon", "ontooff", "whileoff", "valuechange")
_PARS = (
    "valuechange", "valueschanged", "onpulse", "expressionchange", "exportchange", "enablechange", "modechange",
)  # fmt: skip

#: Types of the family: the parameters that name what they listen to (the first that the build has), and what can be on.
_FAMILY: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "executeDAT": (
        (),
        ("start", "create", "exit", "framestart", "frameend", "playstatechange", "devicechange", "projectpresave",
         "projectpostsave"),
    ),
    "chopexecuteDAT": (("chop",), _PANEL),
    "datexecuteDAT": (("dat",), ("tablechange", "rowchange", "colchange", "cellchange", "sizechange")),
    "opexecuteDAT": (
        ("op", "ops"),
        ("precook", "postcook", "opdelete", "flagchange", "wirechange", "namechange", "pathchange", "uichange",
         "numchildrenchange", "childrename", "currentchildchange", "extensionchange"),
    ),
    "panelexecuteDAT": (("panels", "panel"), _PANEL),
    "parameterexecuteDAT": (("op", "ops"), _PARS),
    "pargroupexecuteDAT": (("op", "ops"), _PARS),
}  # fmt: skip


def silent(operator: Any) -> str:
    """Why an Execute DAT cannot fire as it is, in a sentence; "" of one that can, and of any other operator."""
    family = _FAMILY.get(op_type(operator))
    if family is None:
        return ""
    sources, toggles = family
    missing: list[str] = []
    if not _on(operator, "active"):
        missing.append("active is off")
    source = next((par for name in sources if (par := operator.par[name]) is not None), None)
    if source is not None and not told(source.evalOPs):
        missing.append(f"{source.name} names no operator that is there")
    pars = operator.par["pars"]
    if pars is not None and told(lambda: str(pars.eval())) == "":
        missing.append("pars is empty")
    there = [name for name in toggles if operator.par[name] is not None]
    if there and not any(_on(operator, name) for name in there):
        missing.append(f"none of {', '.join(there[:5])}{' …' if len(there) > 5 else ''} is on")
    if pars is not None and not (_on(operator, "custom") or _on(operator, "builtin")):
        missing.append("neither custom nor builtin is on")
    return f"it never fires: {'; '.join(missing)}" if missing else ""


def _on(operator: Any, name: str) -> bool:
    par = operator.par[name]
    # An expression may come to something else later: it counts as on.
    return par is not None and (par.mode.name != "CONSTANT" or bool(told(par.eval)))
