"""Making something new."""

from __future__ import annotations

from tests.integration.tasks.agent import Agent


async def audio_reactive_look(agent: Agent) -> None:
    """Build an audio-reactive look."""
    await agent.call(
        "build_network",
        path=agent.home,
        operators=[
            {"name": "sound", "type": "audiofileinCHOP"},
            {
                "name": "loudness",
                "type": "analyzeCHOP",
                "inputs": ["sound"],
                "params": {"function": "rmspower"},
            },
            {"name": "level", "type": "mathCHOP", "inputs": ["loudness"], "params": {"gain": 8}},
            {"name": "out_level", "type": "nullCHOP", "inputs": ["level"]},
            {
                "name": "clouds",
                "type": "noiseTOP",
                "params": {"period": 2, "tz": {"expr": "absTime.seconds"}},
            },
            {
                "name": "pulse",
                "type": "levelTOP",
                "inputs": ["clouds"],
                "params": {"brightness1": {"expr": "op('out_level')['chan1']"}},
            },
            {"name": "out", "type": "nullTOP", "inputs": ["pulse"]},
        ],
    )
    watched = await agent.call(
        "watch_values", watch=[{"path": f"{agent.home}/pulse", "param": "brightness1"}], frames=10
    )
    assert watched["values"][0]["min"] > 0.1
    picture = await agent.picture(f"{agent.home}/out", max_size=256, frames=4)
    assert "): ok; " in picture, picture
    louder = "home.op('pulse').par.brightness1.eval() == home.op('out_level')['chan1'].eval() > 0.1"
    assert agent.truth(louder) is True
    assert agent.truth("[home.op('out').warnings(), bool(home.op('out').numpyArray().mean() > 0)]") == [
        "",
        True,
    ]


async def feedback_loop(agent: Agent) -> None:
    """Wire a feedback loop that leaves trails."""
    built = await agent.call(
        "build_network",
        path=agent.home,
        operators=[
            {
                "name": "dot",
                "type": "circleTOP",
                "params": {
                    "radiusx": 0.05,
                    "radiusy": 0.05,
                    "centerx": {"expr": "0.3 * math.sin(absTime.seconds * 3)"},
                },
            },
            {"name": "trail", "type": "feedbackTOP", "inputs": ["dot"], "params": {"top": "sum"}},
            {"name": "fade", "type": "levelTOP", "inputs": ["trail"], "params": {"opacity": 0.9}},
            {"name": "sum", "type": "compositeTOP", "inputs": ["fade", "dot"], "params": {"operand": "add"}},
            {"name": "out", "type": "nullTOP", "inputs": ["sum"]},
        ],
    )
    assert "problems" not in built or not built["problems"]
    picture = await agent.picture(f"{agent.home}/out", max_size=256, frames=4, every=5)
    assert "): ok; " in picture, picture
    assert agent.truth("home.op('trail').par.top.eval().name") == "sum"
    # What was drawn before is still there: more is lit than the dot of this frame.
    lit = "[float((home.op(o).numpyArray()[..., 0] > 0.05).mean()) for o in ('dot', 'out')]"
    dot, out = agent.truth(lit)
    assert 0 < dot < out


async def reusable_component(agent: Agent) -> None:
    """Make a component with an input, an output and a control, and use it twice."""
    glow = [
        {"name": "in1", "type": "inTOP"},
        {
            "name": "soft",
            "type": "blurTOP",
            "inputs": ["in1"],
            "params": {"size": {"bind": "parent().par.Amount"}},
        },
        {"name": "mix", "type": "compositeTOP", "inputs": ["soft", "in1"], "params": {"operand": "add"}},
        {"name": "out1", "type": "outTOP", "inputs": ["mix"]},
    ]
    page = {
        "name": "Glow",
        "parameters": [{"name": "Amount", "style": "Float", "default": 8, "norm": [0, 32]}],
    }
    await agent.call(
        "build_network",
        path=agent.home,
        operators=[
            {"name": "source", "type": "circleTOP"},
            {
                "name": "glow1",
                "type": "baseCOMP",
                "inputs": ["source"],
                "custom": [page],
                "params": {"Amount": 8},
                "children": glow,
            },
            {"name": "out", "type": "nullTOP", "inputs": ["glow1"]},
        ],
    )
    copies = await agent.call("copy_operators", paths=[f"{agent.home}/glow1"])
    second = copies["copies"][f"{agent.home}/glow1"]
    await agent.call(
        "batch",
        calls=[
            {
                "tool": "set_parameters",
                "arguments": {"changes": [{"path": second, "params": {"Amount": 20}}]},
            },
            {
                "tool": "wire_operators",
                "arguments": {"insert": [{"path": second, "to": f"{agent.home}/out", "input": 0}]},
            },
        ],
    )
    assert agent.truth("[home.op('glow1/soft').par.size.eval(), home.op('glow2/soft').par.size.eval()]") == [
        8,
        20,
    ]
    assert agent.truth("[o.name for o in home.op('glow2').inputs]") == ["glow1"]


async def instanced_geometry(agent: Agent) -> None:
    """Instance a shape over the points of a grid and render it."""
    await agent.call(
        "build_network",
        path=agent.home,
        operators=[
            {"name": "grid", "type": "gridSOP", "params": {"rows": 5, "cols": 5, "sizex": 4, "sizey": 4}},
            {
                "name": "geo",
                "type": "geometryCOMP",
                "params": {
                    "instancing": 1,
                    "instanceop": "grid",
                    "instancetx": "P(0)",
                    "instancety": "P(1)",
                    "instancetz": "P(2)",
                    "material": "skin",
                },
                "children": [
                    {
                        "name": "ball",
                        "type": "sphereSOP",
                        "params": {"radx": 0.2, "rady": 0.2, "radz": 0.2},
                        "flags": {"display": True, "render": True},
                    }
                ],
            },
            {"name": "skin", "type": "phongMAT"},
            {"name": "cam", "type": "cameraCOMP", "params": {"tz": 6}},
            {"name": "sun", "type": "lightCOMP", "params": {"ty": 5, "tz": 5}},
            {
                "name": "render",
                "type": "renderTOP",
                "params": {"geometry": "geo", "camera": "cam", "lights": "sun"},
            },
        ],
    )
    picture = await agent.picture(f"{agent.home}/render", max_size=256)
    assert "): ok; " in picture, picture
    places = "[home.op('geo').par.instanceop.eval().numPoints, home.op('geo').par.instancetx.eval()]"
    assert agent.truth(places) == [25, "P(0)"]
    # The torus that TouchDesigner puts into every new geometryCOMP would hide what is really drawn.
    assert agent.truth("[o.name for o in home.op('geo').children]") == ["ball"]


async def table_driven_sequencer(agent: Agent) -> None:
    """Make a table-driven sequencer."""
    steps = [["level", "hold"], ["0.1", "1"], ["0.5", "1"], ["0.9", "1"], ["0.3", "1"]]
    row = "1 + int(absTime.frame / 4) % (op('steps').numRows - 1)"
    await agent.call(
        "build_network",
        path=agent.home,
        operators=[
            {"name": "steps", "type": "tableDAT", "table": steps},
            {
                "name": "player",
                "type": "constantCHOP",
                "params": {
                    "const0name": "level",
                    "const0value": {"expr": f"float(op('steps')[{row}, 'level'])"},
                },
            },
            {"name": "smooth", "type": "filterCHOP", "inputs": ["player"], "params": {"width": 0.1}},
            {"name": "out", "type": "nullCHOP", "inputs": ["smooth"]},
        ],
    )
    watched = await agent.call(
        "watch_values", watch=[{"path": f"{agent.home}/player", "channel": "level"}], frames=20
    )
    assert watched["values"][0]["changes"] >= 2
    await agent.call("write_data", path=f"{agent.home}/steps", replace=[{"old": "0.9", "new": "1.0"}])
    assert agent.truth("home.op('steps')[3, 'level'].val") == "1.0"


async def variations(agent: Agent) -> None:
    """Copy a chain three times and give each copy its own look."""
    await agent.call(
        "build_network",
        path=agent.home,
        operators=[
            {"name": "noise1", "type": "noiseTOP"},
            {"name": "level1", "type": "levelTOP", "inputs": ["noise1"]},
        ],
    )
    originals = [f"{agent.home}/noise1", f"{agent.home}/level1"]
    copied = {"tool": "copy_operators", "arguments": {"paths": originals}}
    made = await agent.call("batch", calls=[copied] * 3)
    copies = [result["result"]["copies"] for result in made["results"]]
    changes = [
        {"path": copy[originals[0]], "params": {"seed": number + 2, "period": 1 + number}}
        for number, copy in enumerate(copies)
    ]
    await agent.call("set_parameters", changes=changes)
    assert agent.truth("sorted(o.par.seed.eval() for o in home.ops('noise*'))") == [1, 2, 3, 4]
    assert (
        agent.truth(
            "len([o for o in home.ops('level*') if o.inputs[0].name == o.name.replace('level', 'noise')])"
        )
        == 4
    )
