"""Builds the component `@NAME@` in TouchDesigner and saves it as a .tox. Made by `tdmcp build`; do not edit.

Run it once, in the Textport:

    exec(open('/path/to/this/file').read())

or paste it into a Text DAT and choose Run Script. The component is made in /project1 (else at the root), started, and
saved beside the project, unless a file of that name is there.
"""


# One function, with all it needs inside: where this text is run within a function, its names are nobody's globals.
def _build_component() -> None:
    import json
    import os
    from typing import Any

    import td  # type: ignore[import-not-found]  # only TouchDesigner has it

    description: dict[str, Any] = json.loads("@DESCRIPTION@")
    # "@DEFINE@"

    def set_parameters(operator: Any, values: list[Any]) -> None:
        """Set built-in parameters; one that has its value already is left alone."""
        for name, value in values:
            par = operator.par[name]
            if par is not None and par.eval() != value:
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

    def build(component: Any) -> None:
        """Fill the empty component. Nothing runs in it yet."""
        component.nodeWidth, component.nodeHeight = 160, 130
        component.color = tuple(description["color"])
        component.comment = description["comment"]
        for described in description["pages"]:
            page = component.appendCustomPage(described["name"])
            for parameter in described["parameters"]:
                define(page, parameter)  # type: ignore[name-defined]  # noqa: F821 - see "@DEFINE@"
        dats = [(fill(component, described), described) for described in description["dats"]]
        for dat, described in dats:
            if described["dock"]:
                dat.dock = component.op(described["dock"])
        # Callbacks come to life last: by now everything they call is there.
        set_parameters(component, description["parameters"])
        for dat, described in dats:
            set_parameters(dat, described["parameters"])

    def save(component: Any) -> None:
        """Save the component as a .tox beside the project; what keeps it from that is said, and nothing is lost by it."""
        path = os.path.join(str(td.project.folder), description["name"] + ".tox")
        try:
            if os.path.exists(path):
                raise OSError("there is a file of that name, which is left as it is")
            component.save(path)
        except Exception as error:  # noqa: BLE001 - whatever it is, the component is there and serves
            component.comment = f"{description['comment']} It was not saved as {path}: {error}."

    parent = td.op("/project1") or td.root
    name = description["name"]
    if parent.op(name) is not None:
        raise RuntimeError(f"{parent.path} already holds an operator called {name}: remove or rename it")
    made = parent.create("baseCOMP", name)
    try:
        build(made)
    except BaseException:
        # Half a component would only be in the way of the next try.
        made.destroy()
        raise
    try:
        made.op(description["extension"]).module.Tdmcp(made).Boot()
    finally:
        save(made)


_build_component()
