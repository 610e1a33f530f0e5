"""The sides of a comparison: a network that is there now, one kept as a checkpoint, one written down by a caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.tools import validation_messages
from tdmcp_embedded.tools.difference import Level, Steps, same
from tdmcp_embedded.tools.network_model import Annotation, NetworkOperator
from tdmcp_embedded.touchdesigner import parameter_lists
from tdmcp_embedded.touchdesigner.builds import op_type
from tdmcp_embedded.touchdesigner.checkpoints import Kept
from tdmcp_embedded.touchdesigner.operators import Pace
from tdmcp_embedded.touchdesigner.rows import RowReader, boxes, members
from tdmcp_embedded.touchdesigner.values import short_repr


class Live:
    """A network as it is in TouchDesigner while the comparison runs; main thread only.

    Args:
        depth: levels that are read; None is all.
        apart: path of this server's own component. What is in it is nobody's work, and its log is never the same twice.
    """

    def __init__(self, td: ModuleType, network: Any, depth: int | None = None, apart: str = "") -> None:
        self.top = _Place(network, network, 0, False)
        self._td = td
        self._apart = apart
        self._depth = depth
        self._pace = Pace(every=4)
        self._reader = RowReader(self._pace)

    def inside(self, thing: _Place) -> Steps[Level | None]:
        op = thing.operator
        if not op.valid:
            return None
        if not op.isCOMP:
            return Level({}, {})
        if op.path == self._apart and thing.level > 0:
            return None
        inside, notes = members(op), boxes(self._td, op)
        if self._depth is not None and thing.level >= self._depth and (inside or notes):
            return None
        level = Level({}, {})
        for found, into, note in ((inside, level.operators, False), (notes, level.annotations, True)):
            for each in found:
                if self._pace.due():
                    yield
                if each.valid:
                    into[str(each.name)] = _Place(each, op, thing.level + 1, note)
        return level

    def own(self) -> Mapping[str, Any] | None:
        network = self.top.operator
        # The settings of this server are nobody's work either.
        return self._reader.own(network) if network.valid and network.path != self._apart else None

    def row(self, thing: _Place) -> Steps[Mapping[str, Any] | None]:
        if self._pace.due(4):
            yield
        if not (thing.operator.valid and thing.network.valid):
            return None
        if thing.note:
            return self._reader.annotation(thing.operator)
        return (yield from self._reader.operator(thing.operator, thing.network))

    def type(self, thing: _Place) -> str:
        return op_type(thing.operator) if thing.operator.valid else ""

    def stated(self, thing: _Place, row: Mapping[str, Any]) -> Mapping[str, Any]:
        params = row.get("params") or {}
        if not thing.operator.valid or not any(isinstance(value, list) for value in params.values()):
            return row
        spread, wrong = parameter_lists.spread(thing.operator, params)
        # A list has every member, one at its default included, which a reading leaves out.
        stated = {
            name: value
            for name, value in spread.items()
            if name in params
            or not ((par := thing.operator.par[name]) is not None and par.isDefault and same(value, par.val))
        }
        return {**row, "params": stated | {name: params[name] for name in wrong}}


class _Place:
    """An operator, the network it is in, how deep that is, and whether it is an annotation."""

    __slots__ = ("level", "network", "note", "operator")

    def __init__(self, operator: Any, network: Any, level: int, note: bool) -> None:
        self.operator, self.network, self.level, self.note = operator, network, level, note


class Remembered:
    """A checkpoint."""

    top = ""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._pace = Pace()

    def inside(self, thing: str) -> Steps[Level | None]:
        if self._pace.due():
            yield
        return Level(
            {path.rpartition("/")[2]: path for path in self._kept.operators(thing)},
            {path.rpartition("/")[2]: path for path in self._kept.annotations(thing)},
        )

    def own(self) -> Mapping[str, Any] | None:
        return self._kept.own()

    def row(self, thing: str) -> Steps[Mapping[str, Any] | None]:
        if self._pace.due():
            yield
        return (yield from self._kept.row(thing))

    def type(self, thing: str) -> str:
        return self._kept.type(thing)

    def stated(self, thing: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
        return row


def checked(network: Mapping[str, Any]) -> Steps[dict[str, Any]]:
    """A network that a caller wrote, each row as its model has it; further keys beside the rows are passed over.

    Raises:
        ToolFailure: `value_invalid`, naming the first that is wrong.
    """
    operators = yield from _operators(network.get("operators"), "operators")
    return {"operators": operators, "annotations": _annotations(network.get("annotations"), "annotations")}


def _operators(rows: Any, where: str) -> Steps[list[dict[str, Any]]]:
    found: list[dict[str, Any]] = []
    for index, row in enumerate(_list(rows, where)):
        here = f"{where}[{index}]"
        inner = ("children", "annotations")
        own = {key: value for key, value in row.items() if key not in inner} if isinstance(row, dict) else row
        one = _dumped(NetworkOperator, own, here)
        if isinstance(row, dict) and row.get("children") is not None:
            one["children"] = yield from _operators(row["children"], f"{here}.children")
        if isinstance(row, dict) and row.get("annotations") is not None:
            one["annotations"] = _annotations(row["annotations"], f"{here}.annotations")
        found.append(one)
        yield
    return found


def _annotations(rows: Any, where: str) -> list[dict[str, Any]]:
    listed = [] if rows is None else _list(rows, where)
    return [_dumped(Annotation, row, f"{where}[{index}]") for index, row in enumerate(listed)]


def _list(rows: Any, where: str) -> Iterable[Any]:
    if isinstance(rows, list):
        return rows
    raise _no_network(f"{where}: a list is wanted")


def _dumped(model: type[NetworkOperator | Annotation], row: Any, where: str) -> dict[str, Any]:
    try:
        return model.model_validate(row).model_dump(mode="json", exclude_none=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join([where, *(str(part) for part in first["loc"])])
        raise _no_network(f"{place} {_said(first)}") from None


def _said(fault: ErrorDetails) -> str:
    if fault["type"] == "extra_forbidden":
        return "is not known"
    if fault["type"] == "missing":
        return "is missing"
    return validation_messages.clause([fault], short_repr(fault["input"], 80))


def _no_network(why: str) -> ToolFailure:
    return ToolFailure(
        Code.VALUE_INVALID,
        f"with is no network: {why}.",
        hint="Give what read_network answered, the path of a COMP, or the name of a checkpoint.",
    )
