"""Small matters of English in what tools say."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 wire`, `2 wires`, `0 wires`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
