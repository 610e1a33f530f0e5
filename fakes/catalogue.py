"""The operator types of TouchDesigner 2025 and their parameters, as facts (`data/PROVENANCE.md`)."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from fakes import builds
from fakes.corrections import complete, corrected
from fakes.errors import NotFaked

_FILE = Path(__file__).parent / "data" / "td_catalog.json.gz"

#: Spellings of the sources -> the style word that `Par.style` answers.
_STYLES = {
    "toggle": "Toggle",
    "float": "Float",
    "integer": "Int",
    "Integer": "Int",
    "string": "Str",
    "String": "Str",
    "Text": "Str",
    "dropmenu": "Menu",
    "menu": "Menu",
    "minimenu dynamicmenu": "StrMenu",
    "nolabel shortvalues dropmenu": "Menu",
    "button": "Pulse",
    "pulse": "Pulse",
    "nolabel button": "Pulse",
    "joinpair float": "Float",
    "joinpair toggle": "Toggle",
    "anglejack": "Float",
    "comp": "COMP",
    "objref": "Object",
    "datref": "DAT",
    "topref": "TOP",
    "chopref": "CHOP",
    "noderef": "OP",
    "filepath dll load": "File",
    "OBJ": "Object",
}

NUMBER_STYLES = frozenset({"Float", "Int", "XYZW", "XYZ", "XY", "UVW", "UV", "WH", "RGB", "RGBA"})
OP_STYLES = frozenset({"OP", "COMP", "TOP", "CHOP", "DAT", "SOP", "POP", "MAT", "Object", "PanelCOMP"})

#: Parameters that take several operators, by type and name: they evaluate to a list (fact 76). Those of Render TOP were
#: seen; the others say "all" or a plural in their label or default.
TAKE_SEVERAL = frozenset(
    (kind, name)
    for name, kinds in {
        "geometry": "renderTOP renderpassTOP",
        "lights": "renderTOP renderpassTOP",
        "actors": "bulletsolverCOMP",
        "forces": "bulletsolverCOMP actorCOMP",
        "sops": "actorCOMP",
        "shadowcasters": "lightCOMP",
        "ops": "parameterCHOP parameterDAT",
        "op": "opexecuteDAT parameterexecuteDAT pargroupexecuteDAT",
        "panels": "panelexecuteDAT keyboardinCHOP keyboardinDAT mouseinCHOP",
        "tops": "glslTOP",
        "guide": "inversecurveCHOP",
    }.items()
    for kind in kinds.split()
)
#: Those of which a pattern names operators of one type only, whatever the style says (fact 76).
ONLY_TYPES = {
    (kind, name): only
    for kind in ("renderTOP", "renderpassTOP")
    for name, only in (("geometry", "geometryCOMP"), ("lights", "lightCOMP"))
}
_REFERS = re.compile(r"(op|object|mat|dat|comp)s?\d*$")
_REFERRED = re.compile(r"\b(OP|TOP|CHOP|SOP|POP|DAT|MAT|COMP|Operator|Object)(?:s|\(s\))?(?!\w)")
BUTTON_STYLES = frozenset({"Pulse", "Momentary", "Toggle"})


@dataclass(frozen=True, slots=True)
class ParInfo:
    """One built-in parameter of an operator type. Ranges and values are in the parameter's own units."""

    name: str
    label: str
    page: str
    style: str
    group: str
    vec_index: int
    order: int
    menu_names: tuple[str, ...]
    menu_labels: tuple[str, ...]
    default: Any
    creation: Any
    """The value a new operator has: mostly the default (fact 28)."""
    known: bool
    """Whether default and creation value are established; else they follow a rule or are None."""
    clamp: tuple[float | None, float | None]
    norm: tuple[float, float]
    sequence: str = ""
    """The sequence this belongs to, as block 0's parameter."""

    @property
    def is_int(self) -> bool:
        return self.style == "Int"


@dataclass
class TypeInfo:
    """One operator type: `noiseTOP`."""

    name: str
    family: str
    bases: tuple[str, ...]
    """Python base classes, nearest first: TOP, OP."""
    input_labels: tuple[str, ...]
    max_inputs: int | None
    """9999 means any number; None means not established."""
    listed: bool
    """Whether a listing taken in a running TouchDesigner covers the type."""
    _raw: list[dict[str, Any]] = field(repr=False)

    @cached_property
    def pars(self) -> dict[str, ParInfo]:
        """Built-in parameters by name in order, sequences with block 0 only."""
        sequences = {p["name"] for p in self._raw if p.get("style") == "Sequence"}
        infos = {p["name"]: _par_info(p, i, sequences, self.listed) for i, p in enumerate(self._raw)}
        return infos

    @cached_property
    def sequences(self) -> dict[str, tuple[str, ...]]:
        """Sequence name -> the parameters of one block, without the `name0` in front."""
        members: dict[str, list[str]] = {n: [] for n, p in self.pars.items() if p.style == "Sequence"}
        for info in self.pars.values():
            if info.sequence:
                members[info.sequence].append(info.name.removeprefix(f"{info.sequence}0"))
        return {n: tuple(m) for n, m in members.items()}

    @cached_property
    def as_made(self) -> tuple[tuple[str, ParInfo], ...]:
        """Built-in parameters in the order of an operator whose sequences have one block each: nearly every one."""
        names: list[str] = []
        for name, info in self.pars.items():
            if not info.sequence:
                names.append(name)
            if info.style == "Sequence":
                names += [f"{name}0{rest}" for rest in self.sequences[name]]
        found = ((name, self.par(name)) for name in names)
        return tuple((name, info) for name, info in found if info is not None)

    @cached_property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Parameter group -> its parameters in vector order; single parameters are their own group."""
        found: dict[str, list[ParInfo]] = {}
        for info in self.pars.values():
            found.setdefault(info.group or info.name, []).append(info)
        return {g: tuple(i.name for i in sorted(m, key=lambda i: i.vec_index)) for g, m in found.items()}

    @cached_property
    def pages(self) -> dict[str, tuple[str, ...]]:
        """Page name -> parameters in order."""
        found: dict[str, list[str]] = {}
        for info in self.pars.values():
            if info.page:
                found.setdefault(info.page, []).append(info.name)
        return {p: tuple(m) for p, m in found.items()}

    def par(self, name: str) -> ParInfo | None:
        """The parameter of that name; a later block of a sequence answers block 0's, under its own name."""
        info = self.pars.get(name)
        if info is not None:
            return info
        for sequence in self.sequences:
            match = re.match(rf"{sequence}([1-9]\d*)(?=\D)", name)
            if match:
                template = self.pars.get(f"{sequence}0{name[match.end() :]}")
                if template is not None:
                    return _renamed(template, int(match[1]))
        return None

    @property
    def stem(self) -> str:
        """`noise` of noiseTOP: the type without its family, which new operators are named after."""
        return self.name.removesuffix(self.family)


@cache
def _renamed(info: ParInfo, block: int) -> ParInfo:
    def at(text: str) -> str:
        return text.replace(f"{info.sequence}0", f"{info.sequence}{block}", 1)

    return ParInfo(
        at(info.name), info.label, info.page, info.style, at(info.group), info.vec_index, info.order,
        info.menu_names, info.menu_labels, info.default, info.creation, info.known, info.clamp, info.norm,
        info.sequence,
    )  # fmt: skip


def _reference(raw: dict[str, Any]) -> str:
    """The style of a reference to operators whose style no source gives: name and label both say what it refers to.

    Where a style is given, parameters named and labelled like that have it with hardly an exception.
    """
    if raw["name"] == "lookat":
        return "Object"  # documented as naming the component to look at
    if not _REFERS.search(raw["name"]):
        return ""
    words = {w.replace("Operator", "OP") for w in _REFERRED.findall(raw.get("label") or "")}
    return words.pop() if len(words) == 1 else "OP" if words else ""


def _style(raw: dict[str, Any]) -> str:
    style: str | None = raw.get("style")
    if style:
        return _STYLES.get(style, style)
    default = raw.get("default")
    menu = raw.get("menu")
    if not menu and not isinstance(default, (int, float)):
        reference = _reference(raw)
        if reference:
            return reference
    if menu:
        return "Menu" if default is None or default in [m[0] for m in menu] else "StrMenu"
    if default in ("True", "False"):
        return "Toggle"
    if isinstance(default, (int, float)) or raw.get("clamp") or raw.get("norm"):
        return "Float"
    if isinstance(default, str) and re.fullmatch(r"-?\d+(\.\d*)?", default):
        return "Float" if "." in default else "Int"
    if default is None and (raw.get("group") or re.search(r"(value|scale|weight|gain)\d*$", raw["name"])):
        return "Float"
    return "Str"


def _plain(style: str, value: Any) -> Any:
    """A default as the catalogue writes it, in the parameter's own type."""
    if value is None:
        return None
    if style in ("Toggle", "Pulse", "Momentary"):
        return value in (True, 1, "True", "1", "on")
    if style in NUMBER_STYLES:
        try:
            return int(float(value)) if style == "Int" else float(value)
        except (TypeError, ValueError):
            return None
    return "" if value is False else str(value)


def _by_rule(style: str, menu: list[list[str]], listed: bool, name: str) -> Any:
    """What an unlisted default would be by the rule; None where nothing may be assumed."""
    if style in NUMBER_STYLES:
        # A type no listing covers could have any number here.
        return (0 if style == "Int" else 0.0) if listed or name == "pageindex" else None
    if style in BUTTON_STYLES:
        return False
    if style == "Sequence":
        return 1
    return menu[0][0] if style == "Menu" and menu else ""


def _par_info(raw: dict[str, Any], order: int, sequences: set[str], listed: bool) -> ParInfo:
    name, style, menu = raw["name"], _style(raw), raw.get("menu") or []
    default = _plain(style, raw.get("default"))
    known = default is not None and "defaultCut" not in raw and "defaultRaw" not in raw
    if default is None:
        # The listing leaves out what is 0, but it does not have the second parameter of a row at all.
        default = _by_rule(style, menu, listed and raw.get("only") != "row", name)
    creation = _plain(style, raw["creation"]) if "creation" in raw else default
    low, high = raw.get("clamp") or (None, None)
    norm = raw.get("norm") or ((0.0, 10.0) if style == "Int" else (0.0, 1.0))
    sequence = next((s for s in sequences if re.match(rf"{re.escape(s)}0\D", name)), "")
    if style == "Toggle":
        # Fact 23. Where the catalogue has words for a Toggle, they are the names of parameters beside it.
        menu = [["off", "Off"], ["on", "On"]]
    return ParInfo(
        name, raw.get("label") or "", raw.get("page") or "", style, raw.get("group") or "",
        int(raw.get("vecIndex") or 0), order, tuple(m[0] for m in menu), tuple(m[1] for m in menu),
        default, creation, known, (low, high), (float(norm[0]), float(norm[1])), sequence,
    )  # fmt: skip


def types() -> dict[str, TypeInfo]:
    """Every operator type of this build by name."""
    return _types_of(builds.current())


@cache
def _types_of(build: builds.Build) -> dict[str, TypeInfo]:
    return {name: info for name, info in _all_types().items() if info.family in build.families}


@cache
def _all_types() -> dict[str, TypeInfo]:
    raw = json.loads(gzip.decompress(_FILE.read_bytes()))
    complete(raw)
    return {
        name: TypeInfo(
            name, d["family"], tuple(d["mro"]), tuple(d["inputs"] or ()), d.get("maxInputs"),
            "maxInputs" in d, corrected(name, d["pars"]),
        )
        for name, d in raw.items()
    }  # fmt: skip


def type_info(name: str) -> TypeInfo:
    """The type of that exact name.

    Raises:
        NotFaked: the catalogue has no such type.
    """
    found = types().get(name)
    if found is None:
        raise NotFaked(f"operator type {name}")
    return found
