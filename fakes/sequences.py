"""Sequential parameters: `const0name`, `const1name` ... and how many blocks there are (fact 27)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fakes.by_name import ByName
from fakes.corrections import FIRST_BLOCKS
from fakes.errors import NotFaked, tdError
from fakes.guard import Guarded
from fakes.nodes import Node

if TYPE_CHECKING:
    from fakes.custom import CustomInfo
    from fakes.operators import OP
    from fakes.parameters import Par, ParCollection
    from fakes.pargroups import ParGroupCollection


def set_blocks(node: Node, sequence: str, count: int) -> None:
    """Give a sequence `count` blocks; parameters of blocks that go lose their values.

    Raises:
        tdError: fewer than one, unless the sequence begins with none.
    """
    if count < min(FIRST_BLOCKS.get(node.info.name, {}).get(sequence, 1), 1):
        raise tdError(f"Minimum size is 1 block. Value:{count!r} Type:{type(count)}.")
    if node.custom is not None and sequence in node.custom.pars and not _templates(node, sequence):
        raise NotFaked("blocks of a custom sequence without a block size")
    before = node.num_blocks(sequence)
    node.sequenced = True
    if count == before:
        return
    held = dict(node.states or {})

    def back() -> None:
        _put(node, sequence, before)
        node.states = {**held, **(node.states or {})}

    node.world.undo.record("sequence", back, lambda: _put(node, sequence, count))
    _put(node, sequence, count)
    node.world.par_event(node, sequence, before, "value")


def _put(node: Node, sequence: str, count: int) -> None:
    node.blocks = {**(node.blocks or {}), sequence: count}
    if node.custom is not None and sequence in node.custom.pars:
        _make_blocks(node, sequence, count)
    for name in list(node.states or ()):
        if node.par_info(name) is None and node.states is not None:
            del node.states[name]
    node.changed(f"par {sequence}")


def take_templates(node: Node, sequence: str, size: int) -> None:
    """Make the `size` parameters behind a custom sequence its first block: `Label` becomes `Items0label` (fact 65)."""
    custom = node.custom
    assert custom is not None
    head = custom.pars[sequence]
    behind = [info for info in custom.on_page(head.page) if info.order > head.order and not info.sequence]
    if size > len(behind):
        raise tdError(f"There are no {size} parameters behind the sequence {sequence}.")
    for info in behind[:size]:
        old, info.sequence = info.name, sequence
        info.name = info.group = f"{sequence}0{old.lower()}"
        if node.states and old in node.states:
            node.states[info.name] = node.states.pop(old)
    custom.pars = {info.name: info for info in custom.pars.values()}
    node.par_generation += 1
    node.changed("pages")


def _templates(node: Node, sequence: str) -> list[CustomInfo]:
    """The parameters of block 0 of a custom sequence."""
    assert node.custom is not None
    first = f"{sequence}0"
    return [i for i in node.custom.pars.values() if i.sequence == sequence and i.name.startswith(first)]


def _make_blocks(node: Node, sequence: str, count: int) -> None:
    """Give a custom sequence the parameters of so many blocks: copies of the first one's definitions."""
    custom = node.custom
    assert custom is not None
    templates = _templates(node, sequence)
    kept = {name: info for name, info in custom.pars.items() if info.sequence != sequence}
    first = f"{sequence}0"
    for block in range(count):
        for template in templates:
            name = f"{sequence}{block}{template.name.removeprefix(first)}"
            group = f"{sequence}{block}{template.group.removeprefix(first)}"
            # Behind those of the block before, and still before what follows the sequence on its page.
            order = template.order + block / 1000
            kept[name] = custom.pars.get(name) or replace(template, name=name, group=group, order=order)
    custom.pars = kept
    node.par_generation += 1
    node.changed("pages")


def unmade(node: Node, name: str) -> bool:
    """Whether a parameter is of a sequence that does not exist yet: of a POP that never cooked, all but `attr`, until
    somebody iterates `seq` (fact 65)."""
    if node.sequenced or node.cooks or node.info.family != "POP":
        return False
    info = node.info.pars.get(name) or node.info.par(name)
    if info is None:
        return False
    sequence = name if info.style == "Sequence" else info.sequence
    return bool(sequence) and sequence != "attr"


def names(node: Node) -> list[str]:
    """The operator's sequences, in the order of their parameters."""
    custom = node.custom.pars.values() if node.custom is not None else ()
    return [*node.info.sequences, *(info.name for info in custom if info.style == "Sequence")]


class Sequence(Guarded):
    """`n.seq.const`, `n.par.const.sequence`."""

    __slots__ = ("_name", "_node")
    _node: Node
    _name: str

    def __init__(self, node: Node, name: str) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_name", name)

    @property
    def name(self) -> str:
        return self._name

    @property
    def owner(self) -> OP:
        return self._node.world.face(self._node)

    @property
    def numBlocks(self) -> int:
        return self._node.num_blocks(self._name)

    @numBlocks.setter
    def numBlocks(self, count: int) -> None:
        set_blocks(self._node, self._name, int(count))

    @property
    def blockSize(self) -> int:
        """Parameters in one block."""
        return len(self._rests())

    @blockSize.setter
    def blockSize(self, size: int) -> None:
        if self._node.custom is None or self._name not in self._node.custom.pars:
            raise NotFaked("setting Sequence.blockSize of a built-in sequence")
        take_templates(self._node, self._name, int(size))

    def _rests(self) -> tuple[str, ...]:
        custom = self._node.custom
        if custom is not None and self._name in custom.pars:
            first = f"{self._name}0"
            return tuple(i.name.removeprefix(first) for i in _templates(self._node, self._name))
        return self._node.info.sequences.get(self._name, ())

    @property
    def blocks(self) -> list[SequenceBlock]:
        return [SequenceBlock(self._node, self._name, i) for i in range(self._node.num_blocks(self._name))]

    @property
    def sequencePar(self) -> Par:
        from fakes.parameters import Par

        info = self._node.par_info(self._name)
        assert info is not None
        return Par(self._node, self._name, info)

    def insertBlock(self, block: Any) -> SequenceBlock:
        raise NotFaked("Sequence.insertBlock")

    def __len__(self) -> int:
        return self._node.num_blocks(self._name)

    def __getitem__(self, index: int) -> SequenceBlock:
        return self.blocks[index]

    def __iter__(self) -> Iterator[SequenceBlock]:
        return iter(self.blocks)


class SequenceBlock(Guarded):
    """One block: its parameters are named without the sequence and number in front."""

    __slots__ = ("_index", "_name", "_node")
    _node: Node
    _name: str
    _index: int

    def __init__(self, node: Node, name: str, index: int) -> None:
        object.__setattr__(self, "_node", node)
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_index", index)

    @property
    def index(self) -> int:
        return self._index

    @property
    def owner(self) -> OP:
        return self._node.world.face(self._node)

    @property
    def sequence(self) -> Sequence:
        return Sequence(self._node, self._name)

    @property
    def par(self) -> ParCollection:
        from fakes.parameters import ParCollection

        return ParCollection(self._node, f"{self._name}{self._index}")

    @property
    def parGroup(self) -> ParGroupCollection:
        from fakes.pargroups import ParGroupCollection

        return ParGroupCollection(self._node, f"{self._name}{self._index}")


class SequenceCollection(ByName):
    """`n.seq`."""

    __slots__ = ()
    _speaks_as = ""

    def _member(self, name: str) -> Sequence | None:
        return Sequence(self._node, name) if name in names(self._node) else None

    def __iter__(self) -> Iterator[Sequence]:
        self._node.sequenced = True
        return iter([Sequence(self._node, n) for n in names(self._node)])
