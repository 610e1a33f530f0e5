"""The main-thread guard: every public attribute and operation of every TouchDesigner object passes through it.

It is structural. A class that derives from `Guarded` cannot have an unguarded public member: functions, properties
and special methods are wrapped when the class is made, and anything else public is refused then. Internal code works
on `_underscore` members and on `nodes.Node`, which are not guarded.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from threading import current_thread, get_ident
from types import FunctionType, MemberDescriptorType, MethodType
from typing import Any

from fakes.errors import ThreadConflict

_main = 0
_conflicts: list[str] = []

#: Special methods that run while an object or a class is being made, before anyone can hold it.
_EXEMPT = frozenset(
    {"__new__", "__init__", "__init_subclass__", "__set_name__", "__class_getitem__", "__getattribute__"}
)


def set_main_thread(conflicts: list[str]) -> None:
    """Make the calling thread the main one and `conflicts` the list that records violations."""
    global _main, _conflicts
    _main = get_ident()
    _conflicts = conflicts


def is_main_thread() -> bool:
    """Whether the caller is on the stand-in's main thread; itself safe on any thread (fact 1)."""
    return get_ident() == _main


def check(what: str) -> None:
    """Count and raise ThreadConflict unless the caller is on the main thread. For functions that touch TD."""
    if get_ident() != _main:
        message = (
            f"THREAD CONFLICT: {what} was used on thread {current_thread().name!r}, not on the main thread"
        )
        _conflicts.append(message)
        raise ThreadConflict(message)


def guarded(function: Callable[..., Any], label: str = "") -> Callable[..., Any]:
    """`function`, refusing callers off the main thread."""
    what = label or function.__qualname__

    @functools.wraps(function)
    def on_main_thread(*args: Any, **kwargs: Any) -> Any:
        if get_ident() != _main:
            check(what)
        return function(*args, **kwargs)

    on_main_thread.__dict__["_guards"] = True
    return on_main_thread


def _guarded_getter(function: Callable[[Any], Any], label: str) -> Callable[[Any], Any]:
    """As `guarded`, for the getter of a property: a reading of a large project calls millions of them."""

    @functools.wraps(function)
    def get(self: Any) -> Any:
        if get_ident() != _main:
            check(label)
        try:
            return function(self)
        except AttributeError as error:
            # Python asks `__getattr__` next, which would call the property unknown: the error stays itself (fact 88).
            global _behind
            _behind = (self, error)
            raise

    get.__dict__["_guards"] = True
    return get


#: The object whose property raised an AttributeError just now, and that error.
_behind: tuple[object, AttributeError] | None = None


class _Method:
    """A method that is guarded when it is fetched, too, not only when it is called."""

    __slots__ = ("_function", "_label")

    def __init__(self, function: Callable[..., Any], label: str) -> None:
        self._function = function
        self._label = label

    def __get__(self, obj: object, owner: type | None = None) -> Any:
        if obj is None:
            return self._function
        if get_ident() != _main:
            check(self._label)
        return MethodType(self._function, obj)


class Guarded:
    """Base of every object that scripts in TouchDesigner can hold."""

    __slots__ = ()

    #: The API index entry consulted for unknown names, where it is not the class's own name.
    _api_name = ""

    #: Whose member a conflict names, for classes that are only a part of another.
    _speaks_as = ""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        _guard_members(cls)

    def _td_name(self) -> str:
        return self._api_name or type(self).__name__

    def __getattr__(self, name: str) -> Any:
        global _behind
        from fakes.api_index import missing

        behind, _behind = _behind, None
        if behind is not None and behind[0] is self and isinstance(getattr(type(self), name, None), property):
            raise behind[1]
        raise missing(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            here = getattr(type(self), name, None)
            if here is None:
                from fakes.api_index import missing

                raise missing(self, name)
            if not isinstance(here, property) or here.fset is None:
                raise AttributeError(f"attribute '{name}' of 'td.{self._td_name()}' objects is not writable")
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"attribute '{name}' of 'td.{self._td_name()}' objects cannot be deleted")

    def __repr__(self) -> str:
        return f"<td.{self._td_name()} object>"

    def __str__(self) -> str:
        return repr(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return id(self)

    def __dir__(self) -> Iterable[str]:
        return sorted({n for c in type(self).__mro__ for n in vars(c) if not n.startswith("_")})


def _guard_members(cls: type) -> None:
    speaks_as = getattr(cls, "_speaks_as", "") or cls.__name__
    for name, member in list(vars(cls).items()):
        special = name.startswith("__") and name.endswith("__")
        if name in _EXEMPT or (name.startswith("_") and not special):
            continue
        label = f"{speaks_as}.{name}"
        if isinstance(member, FunctionType):
            wrapped = member if "_guards" in member.__dict__ else guarded(member, label)
            setattr(cls, name, wrapped if special else _Method(wrapped, label))
        elif isinstance(member, property):
            get = member.fget and _guarded_getter(member.fget, label)
            put, delete = (f and guarded(f, label) for f in (member.fset, member.fdel))
            setattr(cls, name, property(get, put, delete, member.__doc__))
        elif not special and not isinstance(member, _Method):
            kind = "a slot" if isinstance(member, MemberDescriptorType) else "a plain attribute"
            raise TypeError(f"{label} is {kind}: public members of TouchDesigner objects must be guarded")


_guard_members(Guarded)
