"""A place from which code runs, and what it runs."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from tdmcp_embedded.touchdesigner.footprint import Name


def digest(*parts: object) -> bytes:
    """A short fingerprint of some texts."""
    return blake2b("\0".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=12).digest()


@dataclass(frozen=True, slots=True)
class Part:
    """One operator that a slot's code depends on."""

    id: int
    path: str
    content: bytes

    def same(self, other: Part) -> bool:
        """Whether it is the same operator with the same content; ids change by undo, paths by a rename above."""
        return self.content == other.content and (self.id == other.id or self.path == other.path)


@dataclass(frozen=True, slots=True)
class Slot:
    """One place from which code runs, and what it runs."""

    path: str
    """The operator's path when it was read, for the words of a refusal."""
    where: str
    """The parameter's name, or `text`."""
    kind: str
    """expression, bind, python, reference, text, script, source, export, settings."""
    likeness: tuple[str, str, str, bytes]
    """Type, kind, parameter and content: what copies of an operator have in common."""
    content: bytes
    parts: tuple[Part, ...] = ()
    inert: bool = False
    """Whether nothing would happen if it ran."""
    awake: bool = True
    names: frozenset[Name] = frozenset()
    """Names by which its code is found: an operator that gets or loses one of them may change it."""
    operators: frozenset[int] = frozenset()
    """Ids of the operators it was read from."""
    dynamic: bool = False
    """Whether it is found by a value, which anything may change."""

    def same(self, other: Slot) -> bool:
        """Whether it runs the code that `other` ran before, and is not woken up."""
        if (self.awake and not other.awake) or (self.kind != other.kind and not (self.inert and other.inert)):
            return False
        if self.inert and other.inert:
            return True
        if self.content != other.content or len(self.parts) != len(other.parts):
            return False
        return all(any(mine.same(part) for part in other.parts) for mine in self.parts)
