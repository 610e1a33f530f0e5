"""Sequential parameters: how many blocks a sequence has, and parameters of blocks that are not there yet (fact 27)."""

from __future__ import annotations

import re
from typing import Any

from tdmcp_embedded.touchdesigner import lookup, undo
from tdmcp_embedded.touchdesigner.code_routes import Access
from tdmcp_embedded.touchdesigner.parameter_values import invalid
from tdmcp_embedded.touchdesigner.values import clean, cut

_BLOCK = re.compile(r"^(?P<sequence>[A-Za-z]+?)(?P<block>\d+)(?P<rest>[a-zA-Z]\w*)$")
#: Blocks one call may ask for; TD's own limits are lower for some sequences and show on writing.
MOST_BLOCKS = 1000


def check(operator: Any, name: str, count: Any, access: Access) -> int:
    """A number of blocks for a sequence, if it is one.

    Raises:
        ToolFailure: `parameter_not_found`, `value_invalid` or `access_denied`.
    """
    par = lookup.parameter(operator, name)
    if not par.isSequence:
        raise invalid(operator, name, "is no sequence: it has no number of blocks")
    access.parameter(operator, par)
    if not float(count).is_integer() or count < 0:
        raise invalid(operator, name, f"takes a whole number of blocks, not {count!r}")
    if count > MOST_BLOCKS:
        raise invalid(operator, name, f"takes at most {MOST_BLOCKS} blocks here, not {int(count)}")
    return int(count)


def template(operator: Any, name: str) -> tuple[Any, str, int] | None:
    """For a parameter of a block that is not there yet: the same parameter of block 0, its sequence, and the number
    of blocks it takes to have it. None if the name is not of that kind."""
    match = _BLOCK.match(name)
    sequence = operator.par[match["sequence"]] if match else None
    if match is None or sequence is None or not sequence.isSequence:
        return None
    first = operator.par[f"{match['sequence']}0{match['rest']}"]
    blocks = int(match["block"]) + 1
    return None if first is None or blocks > MOST_BLOCKS else (first, match["sequence"], blocks)


def without_block(operator: Any, name: str) -> tuple[str, int] | None:
    """For a parameter of a sequence that has no block at all (fact 86): the sequence and the blocks it takes."""
    match = _BLOCK.match(name)
    sequence = operator.par[match["sequence"]] if match else None
    if match is None or sequence is None or not sequence.isSequence or int(sequence.sequence.numBlocks):
        return None
    blocks = int(match["block"]) + 1
    return None if blocks > MOST_BLOCKS else (match["sequence"], blocks)


def vector(operator: Any, name: str) -> list[str]:
    """The members of a vector in a block that is not there yet; empty where the name is not of that kind."""
    match = _BLOCK.match(name)
    sequence = operator.par[match["sequence"]] if match else None
    if match is None or sequence is None or not sequence.isSequence or int(match["block"]) >= MOST_BLOCKS:
        return []
    first = f"{match['sequence']}0"
    group = operator.parGroup[f"{first}{match['rest']}"]
    block = f"{match['sequence']}{int(match['block'])}"
    return [] if group is None else [block + str(par.name).removeprefix(first) for par in group]


def resize(operator: Any, name: str, count: int) -> bool:
    """Give a sequence this many blocks.

    Returns:
        Whether anything changed.

    Raises:
        ToolFailure: `value_invalid`, where TD refuses (many sequences refuse to be empty).
    """
    sequence = operator.par[name].sequence
    before = int(sequence.numBlocks)
    if before == count:
        return False
    path, journal = operator.path, undo.journal()
    journal.touch(operator)

    def put_back() -> None:
        if operator.valid and operator.path == path and operator.par[name].sequence.numBlocks != before:
            operator.par[name].sequence.numBlocks = before

    if count < before:
        # Blocks that go away take their values with them: note those first, so that they come back last.
        for par in operator.pars(f"{name}*"):
            match = _BLOCK.match(par.name)
            if match and match["sequence"] == name and int(match["block"]) >= count:
                journal.parameter(par)
    journal.put_back_with(put_back)
    try:
        sequence.numBlocks = count
    except Exception as error:  # noqa: BLE001 - whatever TD raises, the agent must hear it
        raise invalid(operator, name, f"refuses {count} blocks: {cut(clean(str(error)), 200)}") from None
    return True
