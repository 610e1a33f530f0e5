"""Calls below /project1 in few words, and what an attempt to change code by them is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.unit.tools.edit.code_scenes import Call, P
from tests.unit.tools.harness import Bench


@dataclass
class Attempt:
    """One way to change what runs: the calls before the last are allowed, the last is not."""

    scene: Callable[[Bench], None]
    call: Call
    first: list[Call] = field(default_factory=list)
    slot: str = ""
    """Path of the operator whose slot the refusal names, where the comparison refuses."""
    early: bool = False
    """Whether only an early refusal is asked for: what is written runs nowhere yet."""


def update(path: str, **what: Any) -> Call:
    return "update_operator", {"path": f"{P}/{path}", **what}


def put(path: str, **params: Any) -> Call:
    return "set_parameters", {"changes": [{"path": f"{P}/{path}", "params": params}]}


def write(path: str, **what: Any) -> Call:
    return "write_data", {"path": f"{P}/{path}", **what}


def build(path: str, *operators: dict[str, Any], **more: Any) -> Call:
    return "build_network", {"path": f"{P}/{path}".rstrip("/"), "operators": list(operators), **more}


def create(parent: str, kind: str, **more: Any) -> Call:
    return "create_operator", {"parent": f"{P}/{parent}".rstrip("/"), "type": kind, **more}


def wire(source: str, target: str, index: int = 0) -> Call:
    return "wire_operators", {"connect": [{"from": f"{P}/{source}", "to": f"{P}/{target}", "input": index}]}


def unwire(target: str, index: int = 0) -> Call:
    return "wire_operators", {"disconnect": [{"to": f"{P}/{target}", "input": index}]}


def delete(*paths: str) -> Call:
    return "delete_operators", {"paths": [f"{P}/{path}" for path in paths]}


def batch(*calls: Call) -> Call:
    return "batch", {"calls": [{"tool": tool, "arguments": arguments} for tool, arguments in calls]}


FAR, NOISE = f"{P}/far/timer", f"{P}/far/noise"
EXEC = f"{P}/far/exec"
