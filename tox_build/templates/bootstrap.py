"""Builds the component `@NAME@` in TouchDesigner and saves it as a .tox. Made by `tdmcp build`; do not edit.

Run it once, in the Textport:

    exec(open('/path/to/this/file').read())

or paste it into a Text DAT and choose Run Script. The component is made in /project1 (else at the root), saved beside
the project, and started.
"""

import json
import os
from typing import Any

import td  # type: ignore[import-not-found]  # only TouchDesigner has it

DESCRIPTION: dict[str, Any] = json.loads("@DESCRIPTION@")

_DEFINERS = {
    "Float": "appendFloat",
    "Int": "appendInt",
    "Toggle": "appendToggle",
    "Str": "appendStr",
    "Pulse": "appendPulse",
    "Menu": "appendMenu",
    "File": "appendFile",
}


def define(page: Any, described: dict[str, Any]) -> None:
    """Append one custom parameter to a page."""
    group = getattr(page, _DEFINERS[described["style"]])(described["name"], label=described["label"])
    par = group[0]
    if described["menu"]:
        par.menuNames = [entry[0] for entry in described["menu"]]
        par.menuLabels = [entry[1] for entry in described["menu"]]
    limits = described["range"]
    if limits:
        if limits["low"] is not None:
            par.min, par.clampMin = limits["low"], True
        if limits["high"] is not None:
            par.max, par.clampMax = limits["high"], True
        par.normMin, par.normMax = limits["slider_low"], limits["slider_high"]
    if described["style"] != "Pulse":
        par.default = described["default"]
        par.val = described["default"]
    par.help = described["help"]
    par.readOnly = described["read_only"]
    par.startSection = described["section"]


def set_parameters(operator: Any, values: list[Any]) -> None:
    """Set built-in parameters; one that has its value already is left alone."""
    for name, value in values:
        par = operator.par[name]
        if par.eval() != value:
            par.val = value


def fill(component: Any, described: dict[str, Any]) -> Any:
    """Make one DAT inside the component."""
    dat = component.create(described["type"], described["name"])
    dat.nodeX, dat.nodeY = described["x"], described["y"]
    dat.nodeWidth, dat.nodeHeight = described["width"], described["height"]
    if described["table"]:
        dat.clear()
        for row in described["table"]:
            dat.appendRow(row)
    else:
        dat.text = described["text"]
    return dat


def build(parent: Any) -> Any:
    """Make the component in `parent` and give it. Nothing runs in it yet."""
    name = DESCRIPTION["name"]
    if parent.op(name) is not None:
        raise RuntimeError(f"{parent.path} already holds an operator called {name}: remove or rename it")
    component = parent.create("baseCOMP", name)
    component.nodeWidth, component.nodeHeight = 160, 130
    component.color = DESCRIPTION["color"]
    component.comment = DESCRIPTION["comment"]
    for described in DESCRIPTION["pages"]:
        page = component.appendCustomPage(described["name"])
        for parameter in described["parameters"]:
            define(page, parameter)
    dats = [(fill(component, described), described) for described in DESCRIPTION["dats"]]
    for dat, described in dats:
        if described["dock"]:
            dat.dock = component.op(described["dock"])
    # Callbacks come to life last: by now everything they call is there.
    set_parameters(component, DESCRIPTION["parameters"])
    for dat, described in dats:
        set_parameters(dat, described["parameters"])
    return component


def save(component: Any, folder: str) -> str:
    """Save the component as a .tox in `folder` and give its path."""
    path = os.path.join(folder, DESCRIPTION["name"] + ".tox")
    component.save(path)
    return path


made = build(td.op("/project1") or td.root)
save(made, td.project.folder)
made.Boot()
