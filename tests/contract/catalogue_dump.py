"""Writes down every operator type and parameter of the running TouchDesigner, in the format of the stand-in's catalogue.

    dump = CatalogueDump(td)
    for _ in dump.steps(): ...                 # once a frame, on the main thread: one type each
    write(dump.catalogue, "catalogue.json.gz")

Every type is made once in a scratch component, which is removed afterwards. The format is described in
`fakes/data/PROVENANCE.md`; what a running TouchDesigner says wins over what is written there.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

#: Types whose making opens a device, starts another process or takes long: left out unless they are asked for.
LEFT_OUT = frozenset({
    "audiodeviceinCHOP", "audiodeviceoutCHOP", "audiovstCHOP", "blacktraxCHOP", "cplusplusCHOP",
    "cplusplusDAT", "cplusplusPOP", "cplusplusSOP", "cplusplusTOP", "directdisplayoutTOP", "engineCOMP",
    "joystickCHOP", "kinectCHOP", "kinectSOP", "kinectTOP", "kinectazureCHOP", "kinectazureTOP",
    "laserdeviceCHOP", "leapmotionCHOP", "leapmotionTOP", "ncamCHOP", "ncamTOP", "nvidiabackgroundTOP",
    "nvidiadenoiseTOP", "nvidiaflowTOP", "nvidiaupscalerTOP", "oakdeviceCHOP", "oculusriftCHOP",
    "oculusriftSOP", "oculusriftTOP", "openvrCHOP", "openvrSOP", "openvrTOP", "orbbecTOP", "orbbecselectTOP",
    "pangolinCHOP", "realsenseTOP", "screengrabTOP", "serialCHOP", "serialDAT", "st2110deviceCHOP",
    "usdCOMP", "videodeviceinTOP", "videodeviceoutTOP", "webrenderTOP", "webrtcDAT", "zedCHOP", "zedPOP",
    "zedSOP", "zedTOP",
})  # fmt: skip
_BUTTONS = ("Pulse", "Momentary", "Toggle")


class CatalogueDump:
    """One dump.

    Args:
        td: the module.
        parent: where the scratch component is made; `/project1` or else the root by default.
        types: names of the types to write down; all but LEFT_OUT by default.
    """

    def __init__(self, td: Any, parent: Any = None, types: Iterable[str] | None = None) -> None:
        self._td = td
        self._parent = parent
        known = {c.__name__: family for family, classes in td.families.items() for c in classes}
        wanted = sorted(known if types is None else types)
        self._types = [
            (n, known[n]) for n in wanted if n in known and (types is not None or n not in LEFT_OUT)
        ]
        self.catalogue: dict[str, dict[str, Any]] = {}
        self.failed: dict[str, str] = {}
        """Types that could not be made, and why."""

    @property
    def progress(self) -> tuple[int, int]:
        return len(self.catalogue) + len(self.failed), len(self._types)

    def steps(self) -> Generator[None, None, None]:
        """The dump itself; each `yield` wants the next frame."""
        parent = self._parent or self._td.op("/project1") or self._td.root
        scratch = parent.create(self._td.baseCOMP, "scratch")
        try:
            for name, family in self._types:
                inner = scratch.create(self._td.baseCOMP, "one")
                try:
                    self.catalogue[name] = describe(inner.create(name), family)
                except Exception as error:  # noqa: BLE001  One type that fails must not end the dump.
                    self.failed[name] = f"{type(error).__name__}: {error}"
                finally:
                    inner.destroy()
                yield
        finally:
            if scratch.valid:
                scratch.destroy()


def describe(operator: Any, family: str) -> dict[str, Any]:
    """One type, from an operator fresh from its making."""
    chain = [c.__name__ for c in type(operator).__mro__]
    found: dict[str, Any] = {
        "family": family,
        "mro": [n for n in dict.fromkeys(chain[1:]) if n == "OP" or n.endswith(family)],
        "inputs": [str(_told(c, "description") or "") for c in operator.inputConnectors],
        "pars": [_parameter(p) for p in _all_pars(operator) if not _repeated(p)],
    }
    limit = _told(operator, "maxInputs")
    if limit is not None:
        found["maxInputs"] = int(limit)
    return found


def write(catalogue: dict[str, dict[str, Any]], path: str | Path) -> None:
    """Compact JSON with sorted keys, gzipped without a time: the same facts give the same bytes."""
    data = json.dumps(catalogue, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    Path(path).write_bytes(gzip.compress(data, mtime=0))


def _repeated(par: Any) -> bool:
    """Whether a parameter is one of a sequence's later blocks, of which the first one tells everything."""
    block = _told(par, "sequenceBlock")
    return block is not None and block.index > 0


def _all_pars(operator: Any) -> list[Any]:
    """The parameters; those of sequences are there once the sequences were listed (fact 65) and have a block (fact 86)."""
    for sequence in getattr(operator, "seq", ()):
        if not sequence.numBlocks:
            sequence.numBlocks = 1
    return list(operator.pars())


def _parameter(par: Any) -> dict[str, Any]:
    style = str(par.style)
    row: dict[str, Any] = {"name": str(par.name), "label": str(par.label), "style": style}
    page = par.page
    if page is not None:
        row["page"] = str(page.name)
    group = par.parGroup
    if group is not None and len(group) > 1:
        row["group"], row["vecIndex"] = str(group.name), int(par.vecIndex)
    names = _told(par, "menuNames")
    # Not menus alone: whole numbers may have words as well (fact 23), and every Toggle has.
    if names and style != "Toggle":
        row["menu"] = [list(pair) for pair in zip(names, par.menuLabels, strict=False)]
    if style in ("Pulse", "Momentary", "Sequence", "Header"):
        return row
    default, value = _told(par, "default"), _told(par, "val")
    if default is not None:
        row["default"] = _plain(default, style)
        if value is not None and _plain(value, style) != row["default"]:
            row["creation"] = _plain(value, style)
    if par.isNumber and not par.isMenu:
        low = _told(par, "min") if par.clampMin else None
        high = _told(par, "max") if par.clampMax else None
        if low is not None or high is not None:
            row["clamp"] = [low, high]
        norm = [float(par.normMin), float(par.normMax)]
        if norm != ([0.0, 10.0] if style == "Int" else [0.0, 1.0]):
            row["norm"] = norm
    return row


def _plain(value: Any, style: str) -> Any:
    if style in _BUTTONS:
        return bool(value)
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def _told(thing: Any, name: str) -> Any:
    """An attribute, or None where this build or the stand-in does not tell it."""
    try:
        return getattr(thing, name)
    except Exception:  # noqa: BLE001  Whatever the reason, the fact is not known then.
        return None
