"""Attempts to change code at level edit by modules, shortcuts, flags, and steps that come back."""

from __future__ import annotations

from tests.unit.tools.edit import code_scenes as scenes
from tests.unit.tools.edit.code_calls import (
    EXEC,
    FAR,
    NOISE,
    Attempt,
    batch,
    build,
    create,
    delete,
    put,
    update,
    wire,
    write,
)
from tests.unit.tools.edit.code_scenes import P

ATTEMPTS: dict[str, Attempt] = {
    # Modules, imports, shortcuts, methods
    "an extension's source renamed into place": Attempt(
        scenes.extension_elsewhere, update("lib/job", name="MyExt"), slot=f"{P}/tool"
    ),
    "an extension's source selected into place": Attempt(
        scenes.extension_elsewhere, create("lib", "selectDAT", name="MyExt", params={"dat": "job"}), slot=f"{P}/tool"
    ),
    "a module renamed into place": Attempt(scenes.module_expression, update("far/script", name="util"), slot=NOISE),
    "a module moved into place": Attempt(
        scenes.module_expression,
        update("aside/util", parent=f"{P}/far"),
        slot=NOISE,
    ),
    "the nearer of two modules deleted": Attempt(scenes.two_modules, delete("far/util"), slot=NOISE),
    "the nearer of two modules renamed": Attempt(scenes.two_modules, update("far/util", name="u"), slot=NOISE),
    "a modules network renamed into place": Attempt(
        scenes.modules_network, update("stuff", name="local"), slot=f"{P}/exec"
    ),
    "a function's DAT renamed into place": Attempt(
        scenes.path_expression, update("lib/script", name="util"), slot=NOISE
    ),
    "a function's DAT selected into place": Attempt(
        scenes.path_expression, create("lib", "selectDAT", name="util", params={"dat": "script"}), slot=NOISE
    ),
    "a function's DAT merged into place": Attempt(
        scenes.path_expression, build("lib", {"name": "util", "type": "mergeDAT", "inputs": ["half"]}), slot=NOISE
    ),
    "a shortcut given to another component": Attempt(scenes.shortcut_expression, put("first", opshortcut="Gone"), slot=NOISE),
    "two shortcuts exchanged in one batch": Attempt(
        scenes.shortcut_expression,
        batch(put("first", opshortcut="Gone"), put("second", opshortcut="Lib")),
        slot=NOISE,
    ),
    "two shortcuts exchanged in one call": Attempt(
        scenes.shortcut_expression,
        (
            "set_parameters",
            {
                "changes": [
                    {"path": f"{P}/first", "params": {"opshortcut": "Gone"}},
                    {"path": f"{P}/second", "params": {"opshortcut": "Lib"}},
                ]
            },
        ),
        slot=NOISE,
    ),
    "a parent shortcut given to a nearer component": Attempt(
        scenes.parent_shortcut, put("outer/inner", parentshortcut="Lib"), slot=f"{P}/outer/inner/noise"
    ),
    "a text that a script runs": Attempt(scenes.script_runs, update("lib/job", name="run"), slot=EXEC),
    "a text that a script executes": Attempt(scenes.script_executes, update("lib/job", name="run"), slot=EXEC),
    "a text among those that a script runs by pattern": Attempt(
        scenes.script_loops, update("lib/job", name="task3"), slot=EXEC
    ),
    "a text that a script keeps in a variable": Attempt(
        scenes.script_keeps, update("lib/job", name="run"), slot=EXEC
    ),
    "a text that is imported by one that a script runs": Attempt(
        scenes.script_chains, update("lib/job", name="helper"), slot=EXEC
    ),
    "a component renamed to one whose method is called": Attempt(
        scenes.promoted, update("other", name="tool"), slot=NOISE
    ),
    # Evaluated texts
    "a word in a table that is evaluated": Attempt(
        scenes.evaluated, write("area/table", table=[["words"]]), slot=f"{P}/far/evaluate"
    ),
    "another table wired into that": Attempt(
        scenes.evaluated, wire("area/other", "area/between"), slot=f"{P}/far/evaluate"
    ),
    "another table under the name": Attempt(
        scenes.evaluated,
        batch(update("area/between", name="b"), update("area/other", name="between")),
        slot=f"{P}/far/evaluate",
    ),
    # Waking code
    "a component with scripts that cooks again": Attempt(
        scenes.sleeping, update("asleep", flags={"allowCooking": True}), slot=f"{P}/asleep/exec"
    ),
    "a script no longer bypassed": Attempt(
        scenes.sleeping, update("script", flags={"bypass": False}), slot=f"{P}/script"
    ),
    # There and back within one step
    "a script renamed, started and renamed back": Attempt(
        scenes.far_callbacks,
        batch(
            update("lib/job", name="run"), put("far/timer", start={"pulse": True}), update("lib/run", name="job")
        ),
        slot=FAR,
    ),
    "a reference set, started and set back in one call": Attempt(
        scenes.by_text_parameter,
        (
            "set_parameters",
            {
                "changes": [
                    {"path": f"{P}/conf", "params": {"Script": "script"}},
                    {"path": f"{P}/timer", "params": {"start": {"pulse": True}}},
                    {"path": f"{P}/conf", "params": {"Script": "cb"}},
                ]
            },
        ),
        slot=f"{P}/timer",
    ),
    # Undo, redo, checkpoints
    "a script that a person deleted, brought back": Attempt(scenes.scripts_of_a_person, ("undo", {"others": True}), slot=FAR),
    "code that a call of level full took away, brought back": Attempt(
        scenes.script_of_an_agent, ("undo", {}), slot=FAR
    ),
    "an expression that a call of level full took away, brought back": Attempt(
        scenes.code_taken_from_an_expression, ("undo", {}), slot=f"{P}/noise"
    ),
    "a checkpoint with code that is gone": Attempt(
        scenes.checkpoint_with_code,
        ("checkpoint", {"action": "restore", "path": f"{P}/lib", "name": "then", "confirm": True}),
        slot=FAR,
    ),
    # Texts that only seem not to be code
    "Python behind a byte order mark": Attempt(scenes.outside, write("words", text="\ufeffimport os"), early=True),
    "Python between two byte order marks": Attempt(scenes.outside, write("words", text="\ufeff\ufeffimport os"), early=True),
    "Python behind blanks": Attempt(scenes.outside, write("words", text="   __import__('os')"), early=True),
    "Python under a coding cookie": Attempt(
        scenes.outside, write("words", text="# coding: utf-7\n+AGkAbQBwAG8AcgB0ACAAbwBz-"), early=True
    ),
}  # fmt: skip
