"""Custom pages and parameters of COMPs: defined, and changed without losing the values they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure, near
from tdmcp_embedded.touchdesigner import customs, undo
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.custom_check import STYLES, check_name
from tdmcp_embedded.touchdesigner.custom_whole import Whole
from tdmcp_embedded.touchdesigner.values import clean, cut, same_number


def define(
    operator: Any,
    pages: Sequence[Mapping[str, Any]],
    ranges: bool = False,
    notes: list[str] | None = None,
) -> list[str]:
    """Make custom pages and parameters, or change those that are there; their values stay.

    Args:
        pages: checked by `custom_check.check`.
        ranges: whether a slider without a range gets that of the limits. A reading leaves out the usual range, so
            what comes from one must not.
        notes: for what is there now and is not what was asked, or not what was there before.

    Returns:
        Names of the parameters (whole vectors) that were made or changed.

    Raises:
        ToolFailure: `td_error`, where TD refuses.
    """
    touched: list[str] = []
    if not pages:
        return touched
    try:
        with _undoable(operator):
            for page in pages:
                home = _page(operator, str(page["name"]))
                # Looked up once a page: a search for each of a thousand definitions is a million looks.
                groups = _groups(operator)
                for definition in page.get("parameters", ()):
                    if _parameter(operator, home, definition, groups, ranges=ranges, notes=notes):
                        touched.append(str(definition["name"]))
    except ToolFailure:
        raise
    except Exception as error:  # noqa: BLE001 - whatever TD raises, the agent must hear it
        raise ToolFailure(
            Code.TD_ERROR,
            f"TouchDesigner refused the custom parameters of {operator.path}: {cut(clean(str(error)), 300)}",
        ) from None
    return touched


def remove(operator: Any, names: Sequence[str]) -> None:
    """Take custom parameters (whole vectors) away, and the pages that are empty then.

    Raises:
        ToolFailure: `parameter_not_found`.
    """
    groups = _groups(operator)
    for name in names:
        if name not in groups:
            raise ToolFailure(
                Code.PARAMETER_NOT_FOUND,
                f"{operator.path} has no custom parameter {name!r}.",
                suggestions=near(name, list(groups)) or list(groups)[:10],
            )
    if not names:
        return
    with _undoable(operator):
        _note_pages(operator)
        _destroy(operator, names)
        for page in list(operator.customPages):
            if not page.parGroups:
                page.destroy()


def rename(operator: Any, names: Mapping[str, str], access: Access) -> None:
    """Give custom parameters (whole vectors) other names; they keep their values, their definition and their place.

    Each is made again under its new name: that TD keeps everything when it renames one is not established.

    Raises:
        ToolFailure: `parameter_not_found`, `value_invalid` or `name_taken`.
    """
    groups = _groups(operator)
    for old, new in names.items():
        if old not in groups:
            raise ToolFailure(
                Code.PARAMETER_NOT_FOUND,
                f"{operator.path} has no custom parameter {cut(clean(old), 80)!r}.",
                suggestions=near(old, list(groups)) or list(groups)[:10],
            )
        check_name(new)
        if (new in groups and new not in names) or list(names.values()).count(new) > 1:
            raise ToolFailure(Code.NAME_TAKEN, f"{operator.path} already has a custom parameter {new}.")
    if not names:
        return
    access.target(operator)
    with _undoable(operator):
        held = []
        for old in names:
            group = _groups(operator)[old]
            held.append((old, customs.parameter(list(group)), str(group.page.name), float(group[0].order),
                         [undo.ParameterState(par) for par in group]))  # fmt: skip
            _note_whole(operator, group)
            group.destroy()
        for old, definition, page, order, states in held:
            again = {**definition, "name": names[old], "label": definition.get("label", old)}
            if again["label"] == old:
                # A label that nobody gave is the name.
                again["label"] = names[old]
            _parameter(operator, _page(operator, page), again, _groups(operator), order)
            for par, state in zip(_groups(operator)[names[old]], states, strict=True):
                state.write(par)


def _destroy(operator: Any, names: Sequence[str]) -> None:
    for name in names:
        # Other groups may be invalid once one is gone (fact 19): look each up anew.
        for group in list(operator.customParGroups):
            if group.name == name:
                _note_whole(operator, group)
                group.destroy()
                break


def only(operator: Any, pages: Sequence[Mapping[str, Any]]) -> bool:
    """Take away what `pages` does not describe, so that defining them leaves exactly those, in their order.

    Besides what has another name, that is whatever has more to it than is stated (a limit, a help text), and what
    stands behind it on its page or, of pages, behind it: all that is made anew, in order.

    Returns:
        Whether anything went.
    """
    order = [str(page["name"]) for page in pages]
    stated = {str(page["name"]): list(page.get("parameters", ())) for page in pages}
    gone: list[str] = []
    spare: list[str] = []
    kept = 0
    for page in customs.pages(operator):
        name, rows = str(page["name"]), page["parameters"]
        if kept < len(order) and order[kept] == name:
            kept += 1
            gone += [str(row["name"]) for row in rows[_agreeing(rows, stated[name]) :]]
        else:
            spare.append(name)
            gone += [str(row["name"]) for row in rows]
    if gone or spare:
        with _undoable(operator):
            _note_pages(operator)
            _destroy(operator, gone)
            for left in [left for left in operator.customPages if left.name in spare]:
                left.destroy()
    return bool(gone or spare)


@contextmanager
def _undoable(operator: Any) -> Iterator[None]:
    """Make undo and redo of what happens inside complete: nothing says how much of a definition TD's own takes along.

    First in the undo step, so last when it is undone; last in it, so last when it is redone: what TD has done is left.
    """
    journal, path, before = undo.journal(), str(operator.path), Whole(operator)
    journal.touch(operator)

    def back(undoing: bool) -> None:
        if undoing:
            _restore(journal.find(path), before)

    begun: list[bool] = []

    def begin() -> None:
        begun.append(True)
        journal.when_undone(back)

    with journal.at_first(begin):
        yield
    if begun:
        after = Whole(operator)

        def again(undoing: bool) -> None:
            if not undoing:
                _restore(journal.find(path), after)

        journal.when_undone(again)


def _restore(operator: Any, whole: Whole) -> None:
    """Make an operator have what it had; nothing is touched that is as it was."""
    if operator is None or not operator.isCOMP:
        return
    present = Whole(operator)
    if whole.differs(present):
        _destroy(operator, whole.strangers(present))
        define(operator, whole.missing(operator))
        whole.mend(operator)
        for page in list(operator.customPages):
            if str(page.name) not in whole.homes:
                page.destroy()
        if [str(page.name) for page in operator.customPages] != whole.homes:
            operator.sortCustomPages(*whole.homes)
    whole.fill(operator)


def _agreeing(rows: Sequence[Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]]) -> int:
    """How many parameters at the beginning of a page can stay as what is wanted there."""
    for index, row in enumerate(rows):
        if index >= len(wanted) or row["name"] != wanted[index]["name"] or row.keys() - wanted[index].keys():
            return index
    return len(rows)


def _page(operator: Any, name: str) -> Any:
    for page in operator.customPages:
        if page.name == name:
            return page

    def put_back() -> None:
        for page in operator.customPages if operator.valid else ():
            if page.name == name:
                page.destroy()
                return

    undo.journal().put_back_with(put_back)
    return operator.appendCustomPage(name)


def _groups(operator: Any) -> dict[str, Any]:
    """The custom parameters (whole vectors) by name."""
    return {str(group.name): group for group in operator.customParGroups}


def _parameter(
    operator: Any,
    page: Any,
    definition: Mapping[str, Any],
    groups: dict[str, Any],
    order: float | None = None,
    ranges: bool = False,
    notes: list[str] | None = None,
) -> bool:
    """Make or change one; `groups` is kept up to date."""
    name, style = str(definition["name"]), str(definition["style"])
    size = int(definition.get("size") or STYLES[style] or 1)
    group = groups.get(name)
    kept: list[undo.ParameterState] = []
    fresh = group is None
    if group is not None and not _fits(group, style, size):
        # Another style is another parameter: what it holds is carried over as far as it fits.
        kept = [undo.ParameterState(par) for par in group]
        _note_whole(operator, group)
        if str(group.page.name) == str(page.name):
            order = float(group[0].order)
        group.destroy()
        group, fresh = None, True
        # Others may be invalid once one is gone (fact 19).
        groups.clear()
        groups.update(_groups(operator))
    if group is None:
        arguments: dict[str, Any] = {"label": definition.get("label") or name}
        if not STYLES[style]:
            arguments["size"] = size
        if order is not None:
            arguments["order"] = order
        if not kept:
            # Of one that took another's place, the note of that other puts things right.
            undo.journal().put_back_with(lambda: _destroy_group(operator, name))
        group = groups[name] = getattr(page, f"append{style}")(name, **arguments)
    changed = _describe(operator, group, definition, style, fresh, ranges)
    if notes is not None:
        notes += _roundings(group, definition)
    if str(group.page.name) != str(page.name):
        for par in group:
            changed |= _set(par, "page", page)
    for par, state in zip(group, kept, strict=False):
        # A value of the old style that the new one cannot hold: the new default stands.
        with suppress(Exception):
            state.write(par)
        if notes is not None and state.mode == "CONSTANT" and state.constant != par.val:
            notes.append(f"{par.name}: was {state.constant!r}, is {par.val!r} as {style}")
    return fresh or changed


def _roundings(group: Any, definition: Mapping[str, Any]) -> list[str]:
    """Where whole numbers are there instead of the fractions that were asked for."""
    return [
        f"{par.name}: {key} asked {asked}, is {getattr(par, key)} (whole numbers only)"
        for key in ("default", "min", "max")
        for index, par in enumerate(group)
        if par.isInt and _rounded(asked := _nth(definition.get(key), index), getattr(par, key))
    ]


def _rounded(asked: Any, there: Any) -> bool:
    return isinstance(asked, float) and isinstance(there, (int, float)) and not same_number(asked, there)


def _fits(group: Any, style: str, size: int) -> bool:
    pars = list(group)
    return len(pars) == size and customs.style(pars) == style


def _describe(
    operator: Any, group: Any, definition: Mapping[str, Any], style: str, fresh: bool, ranges: bool
) -> bool:
    changed = False
    for index, par in enumerate(list(group)):
        for key, attribute in (
            ("menu", "menuNames"), ("menu_labels", "menuLabels"), ("menu_source", "menuSource"),
            ("read_only", "readOnly"), ("section", "startSection"), ("enable_expr", "enableExpr"), ("label", "label"),
        ):  # fmt: skip
            if definition.get(key) is not None:
                changed |= _set(par, attribute, definition[key])
        if definition.get("menu") is not None and definition.get("menu_labels") is None and fresh:
            changed |= _set(par, "menuLabels", list(definition["menu"]))
        limits: list[Any] = []
        limited = False
        for key, attribute, clamp in (("min", "min", "clampMin"), ("max", "max", "clampMax")):
            limit = _nth(definition.get(key), index)
            if limit is not None:
                limited |= _set(par, attribute, limit)
                limited |= _set(par, clamp, True)
                limits.append(limit)
        changed |= limited
        if ranges and definition.get("norm") is None and len(limits) == 2 and (fresh or limited):
            # A slider that ends before its parameter does is of little use.
            changed |= _set(par, "normMin", limits[0])
            changed |= _set(par, "normMax", limits[1])
        if definition.get("norm") is not None:
            changed |= _set(par, "normMin", definition["norm"][0])
            changed |= _set(par, "normMax", definition["norm"][1])
        default = _nth(definition.get("default"), index)
        if default is not None and not (par.isPulse or par.isMomentary):
            changed |= _set(par, "default", default)
            if fresh:
                par.val = default
    if definition.get("help") is not None and group.help != definition["help"]:
        before, path, name = group.help, operator.path, group.name

        def put_back() -> None:
            for each in operator.customParGroups if operator.valid and operator.path == path else ():
                if each.name == name and each.help != before:
                    each.help = before

        undo.journal().put_back_with(put_back)
        group.help = definition["help"]
        changed = True
    return changed


def _nth(value: Any, index: int) -> Any:
    if isinstance(value, list):
        return value[index] if index < len(value) else None
    return value


def _set(par: Any, attribute: str, value: Any) -> bool:
    before = getattr(par, attribute)
    if attribute == "page":
        same = str(before.name) == str(value.name)
    else:
        same = before == value
    if same:
        return False
    owner, name, path = par.owner, par.name, par.owner.path

    def put_back() -> None:
        found = owner.par[name] if owner.valid and owner.path == path else None
        if found is not None and getattr(found, attribute) != before:
            setattr(found, attribute, before)

    undo.journal().put_back_with(put_back)
    setattr(par, attribute, value)
    return True


def _destroy_group(operator: Any, name: str) -> None:
    for group in operator.customParGroups if operator.valid else ():
        if group.name == name:
            group.destroy()
            return


def _note_whole(operator: Any, group: Any) -> None:
    """Note a parameter that is about to be destroyed, so that it can be made again."""
    gone = undo.journal().parameters_gone.setdefault(str(operator.path), set())
    gone.update([str(group.name), *(str(par.name) for par in group)])
    definition = customs.parameter(list(group))
    page_name = str(group.page.name)
    states = [undo.ParameterState(par) for par in group]
    order = float(group[0].order)

    def put_back() -> None:
        if not operator.valid:
            return
        present = next((g for g in operator.customParGroups if g.name == definition["name"]), None)
        if present is not None:
            as_before = customs.parameter(list(present)) == definition and str(present.page.name) == page_name
            if as_before and [undo.ParameterState(par) for par in present] == states:
                return
            present.destroy()
        _parameter(operator, _page(operator, page_name), definition, _groups(operator), order)
        for par, state in zip(
            next(g for g in operator.customParGroups if g.name == definition["name"]), states, strict=False
        ):
            state.write(par)

    undo.journal().put_back_with(put_back)


def _note_pages(operator: Any) -> None:
    """Note which custom pages there are, in order."""
    names = [str(page.name) for page in operator.customPages]

    def put_back() -> None:
        present = [str(page.name) for page in operator.customPages] if operator.valid else names
        if present != names:
            for name in names:
                if name not in present:
                    operator.appendCustomPage(name)
            operator.sortCustomPages(*names)

    undo.journal().put_back_with(put_back)
