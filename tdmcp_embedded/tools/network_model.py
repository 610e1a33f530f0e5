"""A network, written one way everywhere: what is read, what is built, what is compared and kept as a checkpoint.

Reading leaves out whatever stands at its default, so what is left out means two things: whoever restores a state
exactly (a checkpoint) puts it to its default; whoever builds from an agent's words leaves it as it is. A reading says
so of itself (`as_read`), so that a new operator comes out as the one that was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema, model_validator


def _undescribed(schema: dict[str, Any]) -> None:
    # Every client pays for each byte of a schema; what a part is, the tool's description says once.
    schema.pop("description", None)


class _Part(BaseModel):
    """A piece of a network: unknown names are refused, and `from` is spelled as the wire format spells it."""

    model_config = ConfigDict(
        extra="forbid", populate_by_name=True, serialize_by_alias=True, json_schema_extra=_undescribed
    )

    def compact(self) -> dict[str, Any]:
        """JSON-ready, without what is not stated."""
        return self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)


class ParameterForm(_Part):
    """A parameter value that is not a plain constant; exactly one of the four is given."""

    expr: str | None = None
    bind: str | None = None
    reset: bool | None = None
    pulse: bool | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        given = [name for name in ("expr", "bind", "reset", "pulse") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError('give exactly one of "expr", "bind", "reset", "pulse"')
        if self.reset is False or self.pulse is False:
            raise ValueError(f'"{given[0]}" is only ever true; leave it out otherwise')
        return self

    @property
    def kind(self) -> str:
        """expr, bind, reset or pulse."""
        return next(name for name in ("expr", "bind", "reset", "pulse") if getattr(self, name) is not None)


#: A JSON number that stays whole where it is, so that answers read 150 and not 150.0.
Number = Annotated[int | float, WithJsonSchema({"type": "number"})]

#: A plain constant. Smart union: a bool stays a bool, an int an int.
Plain = Annotated[bool | int | float | str, WithJsonSchema({"type": ["boolean", "number", "string"]})]

#: A plain JSON value is a constant; the other forms are objects. A list has one value for each member of a vector (null:
#: as it is), or the operators of a parameter that takes several.
ParameterValue = Plain | list[Plain | ParameterForm | None] | ParameterForm


def plain_value(value: ParameterValue) -> Any:
    """A parameter's value as JSON, as `touchdesigner/parameters.py` takes it."""
    if isinstance(value, list):
        return [None if each is None else plain_value(each) for each in value]
    return value.compact() if isinstance(value, ParameterForm) else value


class Wire(_Part):
    """Where an input comes from, when it is not the first output of a sibling."""

    from_: str = Field(alias="from")
    output: int = Field(default=0, ge=0)


#: One entry by input index; null is an input with no wire.
InputSource = str | Wire | None

Point = Annotated[list[Number], Field(min_length=2, max_length=2)]
Rgb = Annotated[list[Number], Field(min_length=3, max_length=3)]


class CustomParameter(_Part):
    """One custom parameter (a whole vector for styles such as XYZ); its values stand in the operator's `params`."""

    name: str
    """Base name: `Pos` of style XYZ makes Posx, Posy, Posz."""
    style: str
    """The word after `append` in TouchDesigner's Page class: Float, Int, Toggle, Str, Menu, XYZ, RGBA, Pulse …"""
    label: str | None = None
    size: int | None = None
    """Number of values of a Float or Int, where it is not 1."""
    default: Plain | list[Plain] | None = None
    """Where it is not 0, off, empty or the first word of the menu."""
    min: Number | list[Number] | None = None
    """Hard limit; only given where clamping is on."""
    max: Number | list[Number] | None = None
    norm: Point | None = None
    """Range of the slider, where it is not 0 to 1 (Int: 0 to 10)."""
    menu: list[str] | None = None
    """Words of a menu."""
    menu_labels: list[str] | None = None
    menu_source: str | None = None
    help: str | None = None
    read_only: bool | None = None
    section: bool | None = None
    """Whether a line is drawn above it."""
    enable_expr: str | None = None


class CustomPage(_Part):
    """One custom page of a COMP and its parameters, in order."""

    name: str
    parameters: list[CustomParameter] = []


class NetworkOperator(_Part):
    """One operator of a network."""

    name: str
    type: str | None = None
    """Operator type, such as noiseTOP; may be left out for an operator that exists."""
    params: dict[str, ParameterValue] | None = None
    sequences: dict[str, int] | None = None
    """Number of blocks of sequential parameters, where it is not 1; set before `params`."""
    inputs: list[InputSource] | None = None
    """By input index: null, a sibling's name, or {"from": name, "output": n}."""
    comp_inputs: list[InputSource] | None = None
    """The same for the connectors on top of a COMP (object hierarchy)."""
    position: Point | None = None
    """Left and bottom edge in the network editor."""
    size: Point | None = None
    flags: dict[str, bool] | None = None
    """Flags that differ from `touchdesigner.flags.default_flags`."""
    text: str | None = None
    table: list[list[str]] | None = None
    comment: str | None = None
    color: Rgb | None = None
    tags: list[str] | None = None
    dock: str | None = None
    """Name of the operator this one is docked to."""
    custom: list[CustomPage] | None = None
    children: list[NetworkOperator] | None = None
    """Not stated: unknown or untouched. An empty list: the COMP holds nothing."""
    annotations: list[Annotation] | None = None
    as_read: bool | None = None
    """Of a reading: what is not stated, here and inside, is at its default, which is not always what TD gives a new
    operator (fact 28). Builders put it so in operators that they make."""
    left_out: list[str] | None = None
    """What a bounded reading did not carry, each a sentence saying how to get it; builders leave it untouched."""


class Annotation(_Part):
    """A comment, a box or an annotation drawn in a network. TouchDesigner keeps it as an annotateCOMP."""

    name: str
    title: str | None = None
    text: str | None = None
    mode: str | None = None
    position: Point | None = None
    size: Point | None = None
    color: Rgb | None = None
    """Back colour."""
    params: dict[str, ParameterValue] | None = None
    """Every other parameter that is not at its default."""
    left_out: list[str] | None = None
    """As of operators."""


NetworkOperator.model_rebuild()


def walk(operators: Iterable[NetworkOperator], prefix: str = "") -> Iterator[tuple[str, NetworkOperator]]:
    """Every operator of a network, parents first, with its path relative to where the network hangs."""
    for operator in operators:
        path = f"{prefix}{operator.name}"
        yield path, operator
        yield from walk(operator.children or (), f"{path}/")
