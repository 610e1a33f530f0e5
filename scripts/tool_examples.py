"""A call or two of every tool, each a sentence and its arguments: for docs/tools.md. A test makes all of them.

They run in the stand-in's demo scene, in this order, so that a later one may use what an earlier one made.
"""

from __future__ import annotations

from typing import Any

P = "/project1"

EXAMPLES: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "get_status": [("How are things?", {})],
    "find_operators": [
        ("Every noise TOP below a network.", {"path": P, "type": "noiseTOP"}),
        (
            "Who uses an operator? Whose expressions name it.",
            {"path": P, "value": "null_sound", "fields": ["type", "inputs"]},
        ),
        ("What is broken, anywhere.", {"errors_only": True, "fields": ["problems"]}),
    ],
    "inspect_operator": [
        ("What is not at its default.", {"paths": [f"{P}/noise1", f"{P}/controls"]}),
        (
            "Ranges and menu words before setting something.",
            {"paths": [f"{P}/noise1"], "parameters": "type period t?"},
        ),
    ],
    "read_network": [
        ("What is in here, in few words.", {"path": P, "view": "outline"}),
        (
            "Everything, to be built again elsewhere or kept.",
            {"path": f"{P}/controls", "depth": 3, "view": "full"},
        ),
    ],
    "read_data": [
        ("A table's rows.", {"path": f"{P}/cues", "limit": 10}),
        ("A channel's last samples and its range.", {"path": f"{P}/lfo1", "names": ["chan1"]}),
        ("Colours of a picture, without the picture.", {"path": f"{P}/circle1", "grid": 4}),
    ],
    "capture_image": [
        ("How it looks.", {"path": f"{P}/null1", "max_size": 512}),
        ("How it moves: four moments, ten frames apart.", {"path": f"{P}/null1", "frames": 4, "every": 10}),
    ],
    "check_errors": [("What is wrong in a network.", {"path": P})],
    "measure_performance": [
        ("A second of frames, and who costs most.", {"frames": 60, "path": P, "slowest": 5})
    ],
    "watch_values": [
        (
            "Does it move, and how far?",
            {
                "watch": [
                    {"path": f"{P}/null_sound", "channel": "chan1"},
                    {"path": f"{P}/noise1", "param": "tz"},
                ],
                "frames": 30,
            },
        )
    ],
    "describe_type": [
        ("Parameters of a type.", {"type": "levelTOP", "parameters": "*bright* opacity"}),
        ("Members of a Python class.", {"type": "Par", "parameters": "bind*"}),
    ],
    "get_selection": [("What the user has in view.", {})],
    "compare_network": [
        ("Two networks.", {"path": f"{P}/controls", "with": f"{P}/geo1"}),
    ],
    "create_operator": [
        (
            "One operator, wired and set.",
            {"parent": P, "type": "edgeTOP", "name": "edges", "inputs": ["null1"], "params": {"strength": 2}},
        ),
        (
            "The same call again and again gives the same one.",
            {"parent": P, "type": "nullTOP", "name": "out", "inputs": ["comp1"], "if_exists": "return"},
        ),
    ],
    "build_network": [
        (
            "A chain with an animated parameter, in one call.",
            {
                "path": P,
                "operators": [
                    {
                        "name": "clouds",
                        "type": "noiseTOP",
                        "params": {"period": 2, "tz": {"expr": "absTime.seconds"}},
                    },
                    {"name": "soft", "type": "blurTOP", "inputs": ["clouds"], "params": {"size": 6}},
                    {"name": "clouds_out", "type": "nullTOP", "inputs": ["soft"]},
                ],
            },
        ),
        (
            "What it would do, without doing it.",
            {"path": P, "operators": [{"name": "soft", "params": {"size": 12}}], "dry_run": True},
        ),
    ],
    "set_parameters": [
        (
            "Constants, an expression and a reset, on two operators.",
            {
                "changes": [
                    {"path": f"{P}/clouds", "params": {"period": 3, "type": "simplex3d"}},
                    {
                        "path": f"{P}/soft",
                        "params": {
                            "size": {"expr": "op('null_sound')['chan1'] * 10"},
                            "preshrink": {"reset": True},
                        },
                    },
                ]
            },
        ),
    ],
    "wire_operators": [
        (
            "Into the first input; what was there is replaced.",
            {"connect": [{"from": f"{P}/clouds", "to": f"{P}/edges"}]},
        ),
        (
            "Take a wire off.",
            {"disconnect": [{"to": f"{P}/edges", "input": 0}]},
        ),
    ],
    "update_operator": [
        (
            "Another type, wires kept; a name and a comment.",
            {"path": f"{P}/soft", "type": "levelTOP", "name": "clouds_level", "comment": "was a blur"},
        ),
        ("Out of the way, but not deleted.", {"path": f"{P}/edges", "flags": {"bypass": True}}),
    ],
    "copy_operators": [("A chain, with the wires in it.", {"paths": [f"{P}/clouds", f"{P}/clouds_level"]})],
    "delete_operators": [("One operator.", {"paths": [f"{P}/edges"]})],
    "write_data": [
        (
            "A whole table.",
            {"path": f"{P}/cues", "table": [["number", "name"], ["1", "Doors"], ["2", "Storm"]]},
        ),
        (
            "One line of a long text, which must be there exactly once.",
            {"path": f"{P}/cues", "replace": [{"old": "Storm", "new": "Calm"}]},
        ),
    ],
    "arrange_network": [("Tidy up.", {"path": P})],
    "define_parameters": [
        (
            "Controls for a component.",
            {
                "path": f"{P}/controls",
                "pages": [
                    {
                        "name": "Look",
                        "parameters": [
                            {"name": "Glow", "style": "Float", "default": 0.5, "min": 0, "max": 2},
                            {"name": "Mood", "style": "Menu", "menu": ["calm", "wild"]},
                            {"name": "Tint", "style": "RGB"},
                        ],
                    }
                ],
            },
        )
    ],
    "control_timeline": [
        ("Go to a frame and stop there.", {"action": "pause", "frame": 100}),
        ("Go on.", {"action": "play"}),
    ],
    "checkpoint": [
        (
            "Before a large change; compare_network takes the name.",
            {"action": "save", "path": f"{P}/controls", "name": "before"},
        ),
        ("Back to it.", {"action": "restore", "path": f"{P}/controls", "name": "before"}),
    ],
    "undo": [("The last two steps.", {"steps": 2})],
    "save_project": [("As a file of its own.", {"path": "tonight.toe"})],
    "export_component": [("A component as a file.", {"path": f"{P}/controls", "file": "controls.tox"})],
    "import_component": [("And back in.", {"parent": P, "file": "controls.tox", "name": "controls2"})],
    "batch": [
        (
            "Rename, and mend what named it, in one frame and one undo step.",
            {
                "calls": [
                    {"tool": "update_operator", "arguments": {"path": f"{P}/null_sound", "name": "loudness"}},
                    {
                        "tool": "set_parameters",
                        "arguments": {
                            "changes": [
                                {
                                    "path": f"{P}/level1",
                                    "params": {"brightness1": {"expr": "op('loudness')['chan1']"}},
                                }
                            ]
                        },
                    },
                ]
            },
        )
    ],
    "execute_python": [
        (
            "What no tool does; the last line is the value.",
            {"code": "tops = op('/project1').findChildren(type=TOP)\nsum(t.width * t.height for t in tops)"},
        )
    ],
    "get_job": [("How far is the save?", {"job": "job7-1a2b3c"})],
}
