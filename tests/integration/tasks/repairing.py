"""Finding out what is wrong, and putting it right."""

from __future__ import annotations

from tests.integration.tasks.agent import Agent

_SHADER = """\
out vec4 fragColor;
void main()
{
	vec4 colour = vec4(vUV.st, 0.0, 1.0);
	fragColor = TDOutputSwizzle(colur);
}
"""


async def black_output(agent: Agent) -> None:
    """Find why the output is black."""
    agent.found(
        "n = home.create('noiseTOP', 'noise1'); l = home.create('levelTOP', 'level1'); b = home.create('blurTOP', 'blur1')\n"
        "o = home.create('nullTOP', 'out')\n"
        "for a, z in ((n, l), (l, b), (b, o)): z.inputConnectors[0].connect(a)\n"
        "l.par.brightness1 = 0"
    )
    black = await agent.picture(f"{agent.home}/out", max_size=128)
    assert "): black; " in black, black
    network = await agent.call("read_network", path=agent.home)
    suspects = {op["name"]: op.get("params") for op in network["operators"]}
    assert suspects["level1"] == {"brightness1": 0}
    await agent.call(
        "set_parameters",
        changes=[{"path": f"{agent.home}/level1", "params": {"brightness1": {"reset": True}}}],
    )
    mended = await agent.picture(f"{agent.home}/out", max_size=128)
    assert "): ok; " in mended, mended
    assert agent.truth("bool(home.op('out').numpyArray()[..., :3].max() > 0.1)") is True


async def other_type(agent: Agent) -> None:
    """Replace an operator's type, keeping its wires."""
    agent.found(
        "n = home.create('noiseTOP', 'noise1'); b = home.create('blurTOP', 'soften'); o = home.create('nullTOP', 'out')\n"
        "b.inputConnectors[0].connect(n); o.inputConnectors[0].connect(b)"
    )
    unknown = await agent.refused("update_operator", path=f"{agent.home}/soften", type="lumaBlurTOP")
    assert unknown["code"] == "operator_type_unknown" and "lumablurTOP" in unknown["suggestions"]
    changed = await agent.call("update_operator", path=f"{agent.home}/soften", type="levelTOP")
    assert changed["type"] == "levelTOP" and not changed.get("lost_wires")
    assert agent.truth("[home.op('out').inputs[0].opType, home.op('soften').inputs[0].name]") == [
        "levelTOP",
        "noise1",
    ]


async def broken_shader(agent: Agent) -> None:
    """Fix a shader that does not compile."""
    agent.found(f"g = home.create('glslTOP', 'glsl1'); op(g.par.pixeldat.eval()).text = {_SHADER!r}")
    wrong = await agent.call("check_errors", path=agent.home)
    assert wrong["problems"][0]["severity"] == "shader" and "colur" in wrong["problems"][0]["message"]
    code = await agent.call("read_data", path=f"{agent.home}/glsl1_pixel")
    written = await agent.call(
        "write_data",
        path=f"{agent.home}/glsl1_pixel",
        replace=[{"old": "TDOutputSwizzle(colur)", "new": "TDOutputSwizzle(colour)"}],
        expected_hash=code["hash"],
    )
    # The edit itself looks whether the shader compiles now.
    assert not written.get("problems"), written
    assert "colur" not in agent.truth("home.op('glsl1_pixel').text")
    assert "rror" not in agent.truth("str(home.op('glsl1').compileResult)")


async def lost_reference(agent: Agent) -> None:
    """Mend an expression that lost what it refers to."""
    agent.found(
        "home.create('lfoCHOP', 'wobble'); l = home.create('levelTOP', 'level1')\n"
        "l.inputConnectors[0].connect(home.create('noiseTOP', 'noise1'))\n"
        "l.par.brightness1.expr = \"op('wobbel')['chan1']\"; l.cook(force=True)"
    )
    wrong = await agent.call("check_errors", path=agent.home)
    assert wrong["problems"][0]["paths"] == [f"{agent.home}/level1"]
    known = await agent.call("find_operators", path=agent.home, family="CHOP")
    name = known["operators"][0]["path"].rsplit("/", 1)[1]
    answer = await agent.call(
        "set_parameters",
        changes=[
            {"path": f"{agent.home}/level1", "params": {"brightness1": {"expr": f"op('{name}')['chan1']"}}}
        ],
    )
    assert "brightness1" in answer["operators"][0]["values"] and not answer["problems"]
    assert (
        agent.truth("home.op('level1').par.brightness1.eval() == home.op('wobble')['chan1'].eval()") is True
    )
    assert agent.truth("home.op('level1').errors()") == ""


async def wrong_words(agent: Agent) -> None:
    """Get a parameter, a menu word and a type wrong, and repair each from the refusal alone."""
    made = await agent.refused("create_operator", parent=agent.home, type="noiseTop", name="n")
    assert made["code"] == "operator_type_unknown"
    kind = made["suggestions"][0]
    wrong = await agent.refused(
        "create_operator", parent=agent.home, type=kind, name="n", params={"perod": 2}
    )
    assert wrong["code"] == "parameter_not_found"
    name = wrong["suggestions"][0]
    word = await agent.refused(
        "create_operator", parent=agent.home, type=kind, name="n", params={name: 2, "type": "simplex3"}
    )
    assert word["code"] == "menu_value_invalid"
    await agent.call(
        "create_operator",
        parent=agent.home,
        type=kind,
        name="n",
        params={name: 2, "type": word["suggestions"][0]},
    )
    assert agent.truth("[o.name for o in home.children]") == ["n"]
    assert agent.truth("home.op('n').par.period.eval()") == 2


async def taken_back(agent: Agent) -> None:
    """Delete too much, and take it back."""
    agent.found(
        "last = None\n"
        "for i in range(6):\n"
        "    o = home.create('nullTOP' if last else 'noiseTOP', f'step{i}')\n"
        "    if last: o.inputConnectors[0].connect(last)\n"
        "    last = o"
    )
    paths = [f"{agent.home}/step{i}" for i in range(1, 6)]
    asked = await agent.refused("delete_operators", paths=paths)
    assert asked["code"] == "confirmation_required"
    await agent.call("delete_operators", paths=paths, confirm=True)
    assert agent.truth("len(home.children)") == 1
    undone = await agent.call("undo")
    # TouchDesigner gives such a step its own name (fact 56).
    assert undone["undone"] == ["Delete Node"]
    assert agent.truth("[home.op(f'step{i}').inputs[0].name for i in range(1, 6)]") == [
        f"step{i}" for i in range(5)
    ]


async def failing_script(agent: Agent) -> None:
    """Run a script that fails, read where, and run it again."""
    code = "made = []\nfor i in range(4):\n    made.append(home_comp.create('textDAT', f'note{i}'))\n    made[-1].text = i * 'x'\nlen(made)"
    failed = await agent.refused("execute_python", code=code)
    assert failed["code"] == "python_error" and failed["line"] == 3
    assert agent.truth("len(home.children)") == 0
    done = await agent.call("execute_python", code=f"home_comp = op({agent.home!r})\n{code}")
    assert done["value"] == 4 and len(done["created"]) == 4
    assert agent.truth("[o.text for o in home.ops('note*')]") == ["", "x", "xx", "xxx"]
