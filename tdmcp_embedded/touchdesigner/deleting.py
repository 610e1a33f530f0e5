"""Deleting operators: what goes, what loses an input, and the order TD survives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from tdmcp_embedded.errors import Code, ToolFailure
from tdmcp_embedded.touchdesigner import undo, wiring
from tdmcp_embedded.touchdesigner.builds import find
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.operators import count_inside

#: What TouchDesigner cannot do without; the last is the project's clock.
PROTECTED = ("/", "/local", "/sys", "/ui", "/perform", "/local/time")

#: Of COMPs with no more than that inside, the companions in them are looked for; in larger ones much more than a few
#: operators are left without them in any case.
_SMALL = 100


@dataclass(frozen=True)
class Going:
    """What deleting some operators takes away."""

    tops: list[Any]
    """The operators to delete, without those inside or docked to one of the others."""
    docked: list[str]
    inside: int
    """Operators inside the COMPs that go."""
    losing: list[wiring.Wire]
    companions: int
    """How many of all of them TouchDesigner has made along with another one, which nobody counts."""

    @property
    def count(self) -> int:
        return len(self.tops) + len(self.docked) + self.inside

    @property
    def asked(self) -> int:
        """What counts when the user is to agree."""
        return self.count - self.companions


def consider(td: ModuleType, operators: Sequence[Any], access: Access) -> Going:
    """What deleting these would take away; nothing is touched.

    Raises:
        ToolFailure: `access_denied` or `precondition_failed` for what may not be deleted.
    """
    for operator in operators:
        _check(operator, access)
    unique = list({operator.path: operator for operator in operators}.values())
    paths = {operator.path for operator in unique}
    tops = [o for o in unique if not any(o.path.startswith(other.rstrip("/") + "/") for other in paths)]
    docked: dict[str, Any] = {}
    for operator in tops:
        _collect_docked(operator, docked)
    # An operator docked to another one that goes, goes with it.
    tops = [o for o in tops if o.path not in docked]
    everything = [*tops, *docked.values()]
    inside, companions = 0, sum(map(_is_companion, docked.values()))
    for comp in everything:
        if comp.isCOMP:
            held = count_inside(td, comp)
            inside += held
            if 0 < held <= _SMALL:
                companions += sum(map(_is_companion, comp.findChildren(type=td.DAT)))
    extra = [path for path in docked if path not in paths]
    return Going(
        tops, [*extra, *(p for p in docked if p in paths)], inside, wiring.losing(everything), companions
    )


def _is_companion(operator: Any) -> bool:
    """Whether a docked operator is one that TouchDesigner makes along with its host: callbacks, keys, a shader's text."""
    host = operator.dock
    return host is not None and operator.isDAT and operator.name.startswith(f"{host.name}_")


def _collect_docked(operator: Any, found: dict[str, Any]) -> None:
    for each in operator.docked:
        if each.path not in found:
            found[each.path] = each
            _collect_docked(each, found)


def _check(operator: Any, access: Access) -> None:
    path = str(operator.path)
    if path in PROTECTED:
        raise ToolFailure(Code.PRECONDITION_FAILED, f"{path} belongs to TouchDesigner and cannot be deleted.")
    own = access.component
    if own and (path == own or own.startswith(path + "/") or path.startswith(own + "/")):
        what = "is" if path == own else ("holds" if own.startswith(path + "/") else "belongs to")
        raise ToolFailure(
            Code.PRECONDITION_FAILED,
            f"{path} {what} this server's own component; deleting it would cut this connection.",
            hint="A person can delete it in TouchDesigner.",
        )


def delete(td: ModuleType, going: Going) -> list[str]:
    """Delete, and look afterwards whether it is gone.

    Returns:
        The paths that were deleted, hosts and docked operators.

    Raises:
        ToolFailure: `td_error`, where something is still there.
    """
    paths = [str(o.path) for o in going.tops] + going.docked
    for operator in going.tops:
        for wire in wiring.losing([operator]):
            target = find(td, wire.target)
            if target is not None:
                wiring.note(target)
    for operator in going.tops:
        undo.destroy(operator)
    left = [path for path in paths if find(td, path) is not None]
    if left:
        raise ToolFailure(Code.TD_ERROR, f"TouchDesigner did not delete {', '.join(left[:5])}.")
    return paths
