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
* Two parameters of one row: `shared_rows.py`.
* `MENUS`, `ADDED` and further entries of `FIELDS` and `ABSENT`: live tests, Derivative's published agent skills and public
  scripts differ from the catalogue there. In and Out operators of all families have Connect Order, as those of POPs have.
  `glslmultiTOP` has the sequences Colors and Buffers of `glslTOP`. A number whose only listed member is number 0 is a
  vector; how many members it has is not established.
"""

from __future__ import annotations

from typing import Any

from fakes.shared_rows import split

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
    ("audiospectrumCHOP", "timeslice"): {"creation": True},
    ("logicCHOP", "bound"): {"name": "boundmin", "group": "bound", "vecIndex": 0},
    ("logicCHOP", "boundmax"): {
        "label": "Bounds", "page": "Logic", "style": "Float", "group": "bound", "vecIndex": 1,
    },
}  # fmt: skip

#: What is on in a new operator of the execute family, though the listed default is off (fact 71).
ON_AT_CREATION: dict[str, tuple[str, ...]] = {
    "executeDAT": ("active",),
    "chopexecuteDAT": ("active", "valuechange"),
    "datexecuteDAT": ("active",),
    "opexecuteDAT": ("active",),
    "panelexecuteDAT": ("active", "offtoon"),
    "parameterexecuteDAT": ("active", "valuechange", "onpulse", "custom", "builtin"),
    "pargroupexecuteDAT": ("active",),
}
FIELDS |= {(kind, name): {"creation": True} for kind, names in ON_AT_CREATION.items() for name in names}

#: Names that every type of a family has under the same style, where the catalogue has none.
FAMILY_STYLES: dict[tuple[str, str], str] = {("MAT", "blending"): "Toggle"}

#: (type, parameter) -> the words of its menu: all of them, or those to add. Labels that no source gives are the words.
MENUS: dict[tuple[str, str], list[list[str]]] = {
    key: [[word, word] for word in words.split()]
    for key, words in {
        ("geometryCOMP", "instancerottoorder"): "rottoxform rotaterotto rottorotate",
        ("glsladvancedPOP", "maxpointsmode"): "input custom",
        ("pointspriteMAT", "sizingmodel"): "constatten perspective",
        ("poptoTOP", "layout"): "square onerow wrapped popdim",
    }.items()
}
MORE_WORDS: dict[tuple[str, str], list[list[str]]] = {
    ("glslTOP", "outputresolution"): [["parpanel", "parpanel"]]
}

#: Type -> parameters that the catalogue lacks, each with the name it comes after.
ADDED: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "groupPOP": [
        ("thininvert", {"name": "removethin", "label": "Remove Thin", "page": "Thin", "style": "Toggle"})
    ],
}

#: Types with In or Out in their names that are connectors of a component.
_IN_OUT = frozenset(
    f"{way}{family}" for way in ("in", "out") for family in ("TOP", "CHOP", "SOP", "DAT", "MAT", "POP")
)

#: Numbers and menus that are vectors of which only member 0 is known.
INDEXED: dict[str, tuple[str, ...]] = {
    "limitPOP": ("mintype", "maxtype", "min", "max", "quantize", "quantstep", "quantoffset"),
    "quantizePOP": ("quantize", "quantstep", "quantoffset", "quantcompare"),
}

#: What is no parameter, or not under that name.
ABSENT: frozenset[tuple[str, str]] = frozenset(
    {("webserverDAT", "Verify Client"), ("twistSOP", "1"), *(("linePOP", f"pt1pos{axis}") for axis in "xyz")}
    # Reported to do nothing; the listing knows the size by its other two names.
    | {("rectanglePOP", "sizex"), ("rectanglePOP", "sizey")}
)

#: Type -> sequences that begin with another number of blocks than one. Derivative's skills say that the blocks of these
#: two do not exist until `numBlocks` is set; the official server's schema says that all sequences begin with one
#: (`World.every_sequence_has_a_block`).
FIRST_BLOCKS: dict[str, dict[str, int]] = {
    "linePOP": {"pt": 2},
    "mathmixPOP": {"comb": 0},
    "mathcombinePOP": {"comb": 0},
}

#: Type -> values of those further blocks that differ from the first one's.
FIRST_VALUES: dict[str, dict[str, Any]] = {"linePOP": {"pt1posx": 1.0, "pt1posy": 1.0}}


def complete(catalogue: dict[str, dict[str, Any]]) -> None:
    """Give types, in place, what they share with another type and the catalogue has at that one only."""
    multi, single = catalogue["glslmultiTOP"]["pars"], catalogue["glslTOP"]["pars"]
    shared = [par for par in single if par.get("page") in ("Colors", "Buffers")]
    names = {par["name"] for par in shared}
    catalogue["glslmultiTOP"]["pars"] = [*(par for par in multi if par["name"] not in names), *shared]


def corrected(kind: str, pars: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parameters of a type as they are in TouchDesigner, in order."""
    pars = _added(kind, split(pars))
    vectors = VECTORS.get(kind, {})
    indexed = INDEXED.get(kind, ())
    listed = {par["name"]: par for par in pars}
    members = {f"{name}{i}" for name, size in vectors.items() for i in range(1, size + 1)}
    members |= {f"{name}0" for name in indexed}
    made: list[dict[str, Any]] = []
    for par in pars:
        name = par["name"]
        if name in vectors:
            made += [_member(par, i, listed.get(f"{name}{i + 1}")) for i in range(vectors[name])]
        elif name in indexed:
            made.append(_first_of(par, listed.get(f"{name}0")))
        elif name not in members and (kind, name) not in ABSENT:
            made.append(_mended(kind, par))
    return made


def _added(kind: str, pars: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """With what the catalogue lacks, each after the parameter it follows in TouchDesigner or in types like this."""
    made = list(pars)
    if kind in _IN_OUT and not any(par["name"] == "connectorder" for par in pars):
        _insert(made, "label", {"name": "connectorder", "label": "Connect Order", "page": _page(made, "label"),
                                "style": "Float", "default": 0, "defaultFrom": "implied"})  # fmt: skip
    for after, par in ADDED.get(kind, ()):
        _insert(made, after, par)
    if kind == "rectanglePOP":
        for par in made:
            if par["name"] in ("sizeu", "sizev"):
                par |= {
                    "label": "Size",
                    "page": "Rectangle",
                    "group": "size",
                    "vecIndex": int(par["name"] == "sizev"),
                }
    return made


def _page(pars: list[dict[str, Any]], name: str) -> str:
    return next((par.get("page", "") for par in pars if par["name"] == name), "")


def _insert(pars: list[dict[str, Any]], after: str, par: dict[str, Any]) -> None:
    place = next((i for i, p in enumerate(pars) if p["name"] == after), len(pars) - 1)
    pars.insert(place + 1, dict(par))


def _mended(kind: str, par: dict[str, Any]) -> dict[str, Any]:
    key = (kind, par["name"])
    made = {**par, **FIELDS.get(key, {})}
    if key in MENUS:
        made["menu"] = MENUS[key]
        if made.get("default") not in [word for word, _ in MENUS[key]]:
            made.pop("default", None)
    if key in MORE_WORDS:
        made["menu"] = [*made["menu"], *MORE_WORDS[key]]
    for (family, name), style in FAMILY_STYLES.items():
        if par["name"] == name and kind.endswith(family):
            made.setdefault("style", style)
    return made


def _first_of(whole: dict[str, Any], listed: dict[str, Any] | None) -> dict[str, Any]:
    """Member 0 of a vector whose size is not established. A menu stands once for each member in the catalogue."""
    told = {k: v for k, v in (listed or {}).items() if k not in ("name", "only")}
    made = {**whole, **told, "name": f"{whole['name']}0", "group": whole["name"], "vecIndex": 0}
    if "menu" in whole:
        made["menu"] = list({word: [word, label] for word, label in whole["menu"]}.values())
    return made


def _member(whole: dict[str, Any], index: int, listed: dict[str, Any] | None) -> dict[str, Any]:
    """One member of a vector: its default from the listing, which leaves out those that are 0."""
    told = {"default": listed["default"]} if listed else {}
    name = f"{whole['name']}{index + 1}"
    return {**whole, "name": name, "group": whole["name"], "vecIndex": index, **told}
