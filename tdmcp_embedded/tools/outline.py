"""A network as text: an indented outline that says the same as the structured form, and a Mermaid diagram."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator
from typing import Any

from tdmcp_embedded.tools.network_model import Annotation, InputSource, NetworkOperator, ParameterForm, Wire
from tdmcp_embedded.wording import counted


def outline(operators: Iterable[NetworkOperator], annotations: Iterable[Annotation] = ()) -> list[str]:
    """One line an operator (and one for what does not fit into it), what is inside a COMP indented below it."""
    lines: list[str] = []
    for operator in operators:
        lines += _operator(operator)
    for note in annotations:
        lines.append(_annotation(note))
    return lines


def _operator(operator: NetworkOperator) -> list[str]:
    words = [operator.name, operator.type or ""]
    if operator.inputs:
        words.append("<- " + ", ".join(_source(source) for source in operator.inputs))
    if operator.comp_inputs:
        words.append("^- " + ", ".join(_source(source) for source in operator.comp_inputs))
    if operator.dock:
        words.append(f"docked to {operator.dock}")
    words += [f"{name}={_value(value)}" for name, value in (operator.params or {}).items()]
    words += [f"{name}[{counted(blocks, 'block')}]" for name, blocks in (operator.sequences or {}).items()]
    if operator.position:
        words.append("@" + ",".join(f"{part:g}" for part in operator.position))
    if operator.size:
        words.append("size=" + "x".join(f"{part:g}" for part in operator.size))
    words += [name if on else f"no-{name}" for name, on in (operator.flags or {}).items()]
    for field in ("comment", "color", "tags"):
        value = getattr(operator, field)
        if value:
            words.append(f"{field}={_json(value)}")
    lines = [" ".join(word for word in words if word)]
    for page in operator.custom or []:
        lines.append(f"  page {page.name}: " + "; ".join(_json(p.compact()) for p in page.parameters))
    if operator.text:
        lines += ["  text:", *(f"  | {line}" for line in operator.text.splitlines())]
    if operator.table:
        lines += ["  table:", *(f"  | {_json(row)}" for row in operator.table)]
    lines += [f"  ({what})" for what in operator.left_out or []]
    lines += [f"  {line}" for line in outline(operator.children or [], operator.annotations or [])]
    return lines


def _annotation(note: Annotation) -> str:
    words = [f"[{note.mode or 'annotation'}] {note.name}"]
    for field in ("title", "text", "position", "size", "color"):
        value = getattr(note, field)
        if value:
            words.append(f"{field}={_json(value)}")
    words += [f"{name}={_value(value)}" for name, value in (note.params or {}).items()]
    words += [f"({what})" for what in note.left_out or []]
    return " ".join(words)


def _source(source: InputSource) -> str:
    if source is None:
        return "-"
    if isinstance(source, Wire):
        return f"{source.from_}:{source.output}" if source.output else source.from_
    return source


def _value(value: Any) -> str:
    if isinstance(value, ParameterForm):
        text = getattr(value, value.kind)
        return f"{{{value.kind} {text}}}" if isinstance(text, str) else f"{{{value.kind}}}"
    return value if isinstance(value, str) and value and " " not in value else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def mermaid(operators: Iterable[NetworkOperator]) -> str:
    """The wires of a network as a Mermaid flowchart; what is inside a COMP is a subgraph."""
    return "\n".join(["flowchart LR", *_boxes(list(operators), itertools.count(), "  ")])


def _boxes(operators: list[NetworkOperator], numbers: Iterator[int], indent: str) -> Iterator[str]:
    ids = {operator.name: f"n{next(numbers)}" for operator in operators}
    for operator in operators:
        box = ids[operator.name]
        label = f'"{operator.name}<br/>{operator.type}"'
        if operator.children:
            yield f"{indent}subgraph {box}[{label}]"
            yield from _boxes(operator.children, numbers, indent + " ")
            yield f"{indent}end"
        else:
            yield f"{indent}{box}[{label}]"
    for operator in operators:
        sources = [("-->", s) for s in operator.inputs or []] + [
            ("-.->", s) for s in operator.comp_inputs or []
        ]
        for arrow, source in sources:
            name = source.from_ if isinstance(source, Wire) else source
            if name in ids:
                yield f"{indent}{ids[name]} {arrow} {ids[operator.name]}"
