"""What each operator type cooks to: the registry that `@cooks` fills, and what a cook function is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from fakes.nodes import Node
    from fakes.world import World

F = TypeVar("F", bound=Callable[..., Any])


@dataclass
class CookContext:
    """What a cook function may know besides its operator."""

    node: Node
    world: World
    inputs: list[Any] = field(default_factory=list)
    """The data at each input by index, already cooked; None where nothing is wired."""

    @property
    def frame(self) -> float:
        """absTime.frame; makes the operator depend on time."""
        return self.world.frame

    @property
    def seconds(self) -> float:
        """absTime.seconds; makes the operator depend on time."""
        return self.world.seconds

    def error(self, message: str) -> None:
        """An error of this cook; `errors()` shows it from the next frame on (fact 11)."""
        self.node.errors = [*(self.node.errors or ()), message]

    def warning(self, message: str) -> None:
        """A warning of this cook."""
        self.node.warnings = [*(self.node.warnings or ()), message]


CookFunction = Callable[["Node", CookContext], Any]


@dataclass(frozen=True)
class CookRule:
    """How one operator type cooks."""

    function: CookFunction
    time_dependent: bool | Callable[[Node], bool] = False
    needs: int = 0
    """How many inputs must be wired, else TD's error "Not enough sources specified"."""
    own_inputs: bool = False
    """The function looks at its inputs itself (feedback, switch): they are not cooked beforehand."""


#: Types without a rule whose need of inputs was seen (fact 90).
NEEDS = {"particlePOP": 1}

_rules: dict[str, CookRule] = {}
_family_rules: dict[str, CookRule] = {}


def cooks(
    *types: str,
    time_dependent: bool | Callable[[Node], bool] = False,
    needs: int = 0,
    own_inputs: bool = False,
) -> Callable[[F], F]:
    """Declare what operators of these types cook to: `@cooks("noiseTOP") def noise(node, ctx): ...`.

    The function gets the Node and a CookContext, and returns the data that `Node.data()` gives out.
    `time_dependent` operators cook again in every frame in which somebody asks.
    """

    def register(function: F) -> F:
        for name in types:
            _rules[name] = CookRule(function, time_dependent, needs, own_inputs)
        return function

    return register


def cooks_family(family: str) -> Callable[[F], F]:
    """Declare what operators of a family cook to where `cooks` says nothing about their type."""

    def register(function: F) -> F:
        _family_rules[family] = CookRule(function)
        return function

    return register


def rule_for(node: Node) -> CookRule | None:
    """How an operator cooks; None where that is not established."""
    return _rules.get(node.info.name) or _family_rules.get(node.info.family)
