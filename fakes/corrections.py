"""What the carried-over catalogue has wrong, and what is right: each with where that is from.

The catalogue (`data/td_catalog.json.gz`) was merged from documentation and listings by others and stays as it came;
it is mended here, in the open, when it is read. Found by scripts in the wild that failed on the stand-in.

* A number the catalogue has as one parameter `X`, beside members `X1`, `X2` … of it that only the listing names. The
  listing was taken in a running TouchDesigner and knows no `X`: that is the group's name, which the documentation puts
  over its members. Where the listing leaves members out because they are 0, the size is from Derivative's page on the
  operator (Channel Mix, Depth, Lookup and Math TOP; Lookup, Math, Pattern and Record CHOP), and scripts in public
  projects use them (`par.torange1, par.torange2 = 0, 1`). Sizes that neither source tells are left alone.
* `geometryCOMP.instancing`: the page on the Geometry COMP says that it "turns on" instancing, and every script in the
  wild sets it to True; the catalogue gives no style, and no default that would tell one.
* `webserverDAT`, "Verify Client": no scripting name has a blank or capitals. The real name is not established.
* `linePOP`: the Line POP's page says that it begins with two points, a project that measured one found them at
  (0, 0, 0) and (1, 1, 0), as two blocks of `pt`; the catalogue has the second block as parameters of their own.
* `twistSOP`, "1": half a sentence of the page that was taken for a parameter.
"""

from __future__ import annotations

from typing import Any

#: Type -> the numbers that are really vectors, each with how many members it has.
VECTORS: dict[str, dict[str, int]] = {
    "abletonlinkCHOP": {"signature": 2},
    "basisSOP": {"urange": 2, "vrange": 2},
    "bridgeSOP": {"rotatet": 3, "scalet": 3, "scalec": 3},
    "channelmixTOP": {"red": 4, "green": 4, "blue": 4, "alpha": 4, "constant": 4},
    "claySOP": {"uvsnap": 2},
    "clockCHOP": {"latitude": 2, "longitude": 2},
    "deleteCHOP": {"selrange": 2},
    "deleteSOP": {"select": 2},
    "depthTOP": {"rangefrom": 2, "rangeto": 2},
    "divideSOP": {"weight": 2},
    "embossTOP": {"offset": 2},
    "filletSOP": {"leftuv": 2, "rightuv": 2, "lrwidth": 2, "lrscale": 2, "lroffset": 2},
    "groupSOP": {"select": 2},
    "infoCHOP": {"range": 2},
    "inversecurveCHOP": {"span": 2},
    "jointSOP": {"lrscale": 2},
    "lagCHOP": {"lag": 2, "overshoot": 2, "slope": 2, "accel": 2},
    "leuzerod4CHOP": {"lowerleft": 2, "upperright": 2},
    "lightCOMP": {"lightsize": 2, "shadowresolution": 2},
    "limitSOP": {"texscale": 2},
    "linethickSOP": {"startwidth": 2, "endwidth": 2, "domain": 2},
    "lookupCHOP": {"index": 2},
    "lookupTOP": {"darkuv": 2, "lightuv": 2},
    "mathCHOP": {"fromrange": 2, "torange": 2},
    "mathTOP": {f"{way}range{c}": 2 for way in ("from", "to") for c in ("", "r", "g", "b", "a")},
    "normalmapTOP": {"offset": 2},
    "patternCHOP": {"taper": 2, "fromrange": 2, "torange": 2},
    "profileSOP": {"urange": 2, "vrange": 2},
    "projectSOP": {"urange": 2, "vrange": 2},
    "railsSOP": {"vertex": 2},
    "rampTOP": {"position": 2},
    "recordCHOP": {"segment": 2},
    "textTOP": {"borderspace": 2},
    "timeCOMP": {"signature": 2},
    "transformTOP": {"tileu": 2, "tilev": 2},
}

#: (type, parameter) -> keys of the catalogue's entry that are otherwise.
FIELDS: dict[tuple[str, str], dict[str, Any]] = {
    ("annotateCOMP", "Mode"): {"creation": "annotate"},
    ("geometryCOMP", "instancing"): {"style": "Toggle"},
}

#: What is no parameter, or not under that name.
ABSENT: frozenset[tuple[str, str]] = frozenset(
    {("webserverDAT", "Verify Client"), ("twistSOP", "1"), *(("linePOP", f"pt1pos{axis}") for axis in "xyz")}
)

#: Type -> sequences that begin with more than one block.
FIRST_BLOCKS: dict[str, dict[str, int]] = {"linePOP": {"pt": 2}}

#: Type -> values of those further blocks that differ from the first one's.
FIRST_VALUES: dict[str, dict[str, Any]] = {"linePOP": {"pt1posx": 1.0, "pt1posy": 1.0}}


def corrected(kind: str, pars: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parameters of a type as they are in TouchDesigner, in order."""
    vectors = VECTORS.get(kind, {})
    listed = {par["name"]: par for par in pars}
    members = {f"{name}{i}" for name, size in vectors.items() for i in range(1, size + 1)}
    made: list[dict[str, Any]] = []
    for par in pars:
        name = par["name"]
        if name in vectors:
            made += [_member(par, i, listed.get(f"{name}{i + 1}")) for i in range(vectors[name])]
        elif name not in members and (kind, name) not in ABSENT:
            made.append({**par, **FIELDS.get((kind, name), {})})
    return made


def _member(whole: dict[str, Any], index: int, listed: dict[str, Any] | None) -> dict[str, Any]:
    """One member of a vector: its default from the listing, which leaves out those that are 0."""
    told = {"default": listed["default"]} if listed else {}
    name = f"{whole['name']}{index + 1}"
    return {**whole, "name": name, "group": whole["name"], "vecIndex": index, **told}
