"""Order: tidying, renaming, documenting, keeping and comparing."""

from __future__ import annotations

from tests.integration.tasks.agent import Agent


async def messy_network(agent: Agent) -> None:
    """Tidy a messy network."""
    agent.found(
        "last = None\n"
        "for i in range(8):\n"
        "    o = home.create('nullTOP' if last else 'noiseTOP', f'step{i}')\n"
        "    o.nodeX, o.nodeY = (i * 37) % 90, (i * 53) % 70\n"
        "    if last: o.inputConnectors[0].connect(last)\n"
        "    last = o\n"
        "home.create('glslTOP', 'glsl1')"
    )
    tidied = await agent.call("arrange_network", path=agent.home)
    assert tidied["moved"] >= 7
    xs = agent.truth("[home.op(f'step{i}').nodeX for i in range(8)]")
    assert xs == sorted(set(xs))
    overlaps = (
        "[(a.name, b.name) for a in home.children for b in home.children if a.name < b.name "
        "and a.nodeX < b.nodeX + b.nodeWidth and b.nodeX < a.nodeX + a.nodeWidth "
        "and a.nodeY < b.nodeY + b.nodeHeight and b.nodeY < a.nodeY + a.nodeHeight]"
    )
    assert agent.truth(overlaps) == []


async def renamed_everywhere(agent: Agent) -> None:
    """Rename an operator, and what refers to it, across a project."""
    agent.found(
        "home.create('lfoCHOP', 'lfo_old')\n"
        "for name in ('a', 'b'):\n"
        "    c = home.create('baseCOMP', name); l = c.create('levelTOP', 'level1')\n"
        "    l.par.opacity.expr = \"op('../../lfo_old')['chan1'] * 0.5\""
    )
    uses = await agent.call("find_operators", path=agent.home, value="lfo_old")
    assert [row["path"] for row in uses["operators"]] == [f"{agent.home}/{c}/level1" for c in "ab"]
    changes = []
    for row in uses["operators"]:
        for hit in row["match"]:
            expression = hit["value"]["expr"].replace("lfo_old", "wobble")
            changes.append({"path": row["path"], "params": {hit["param"]: {"expr": expression}}})
    await agent.call(
        "batch",
        calls=[
            {"tool": "update_operator", "arguments": {"path": f"{agent.home}/lfo_old", "name": "wobble"}},
            {"tool": "set_parameters", "arguments": {"changes": changes}},
        ],
    )
    expressions = "[home.op(c).op('level1').par.opacity.expr for c in 'ab']"
    assert agent.truth(expressions) == ["op('../../wobble')['chan1'] * 0.5"] * 2
    # An expression that names nobody raises when it is asked.
    works = "home.op(c).op('level1').par.opacity.eval() is not None"
    assert agent.truth(f"[home.op('lfo_old') is None, *[{works} for c in 'ab']]") == [True, True, True]


async def explained_network(agent: Agent) -> None:
    """Explain a network, and write the explanation into it."""
    agent.found(
        "n = home.create('noiseTOP', 'noise1'); l = home.create('levelTOP', 'level1'); l.nodeX = 200\n"
        "l.inputConnectors[0].connect(n)"
    )
    drawn = await agent.call("read_network", path=agent.home, view="mermaid")
    assert "noise1" in drawn["mermaid"] and "-->" in drawn["mermaid"]
    await agent.call(
        "build_network",
        path=agent.home,
        operators=[{"name": "level1", "comment": "keeps the noise from clipping"}],
        annotations=[
            {
                "name": "about",
                "title": "Clouds",
                "text": "Noise, levelled.",
                "position": [-40, -60],
                "size": [420, 260],
            }
        ],
    )
    assert agent.truth("home.op('level1').comment") == "keeps the noise from clipping"
    shown = "[o.par.Titletext.eval() for o in home.findChildren(type=annotateCOMP, includeUtility=True)]"
    assert agent.truth(shown) == ["Clouds"]


async def exported_component(agent: Agent) -> None:
    """Export a component and import it again beside itself."""
    agent.found("c = home.create('baseCOMP', 'look'); c.create('noiseTOP', 'noise1').par.period = 3")
    file = f"{agent.home.rsplit('/', 1)[1]}.tox"
    await agent.call("export_component", path=f"{agent.home}/look", file=file)
    there = await agent.refused("export_component", path=f"{agent.home}/look", file=file)
    assert there["code"] == "confirmation_required"
    imported = await agent.call("import_component", parent=agent.home, file=file, name="again")
    assert imported["path"] == f"{agent.home}/again"
    compared = await agent.call(
        "compare_network", path=f"{agent.home}/again", **{"with": f"{agent.home}/look"}
    )
    assert compared["equal"] is True
    assert agent.truth("home.op('again/noise1').par.period.eval()") == 3
    assert agent.truth(f"__import__('os').path.getsize(project.folder + '/{file}') > 0") is True


async def yesterdays_checkpoint(agent: Agent) -> None:
    """Compare with yesterday's checkpoint and go back to it."""
    agent.found(
        "n = home.create('noiseTOP', 'noise1'); l = home.create('levelTOP', 'level1')\n"
        "l.inputConnectors[0].connect(n); n.par.period = 1 / 3"
    )
    await agent.call("checkpoint", action="save", path=agent.home, name="yesterday")
    agent.found(
        "home.op('noise1').par.period = 9; home.op('level1').destroy(); home.create('circleTOP', 'new')"
    )
    compared = await agent.call("compare_network", path=agent.home, **{"with": "yesterday"})
    assert {row["path"]: row["kind"] for row in compared["differences"]} == {
        "noise1": "changed",
        "level1": "removed",
        "new": "added",
    }
    await agent.call("checkpoint", action="restore", path=agent.home, name="yesterday")
    assert agent.truth("sorted(o.name for o in home.children)") == ["level1", "noise1"]
    assert agent.truth("home.op('noise1').par.period.eval()") == 1 / 3
    assert agent.truth("home.op('level1').inputs[0].name") == "noise1"
    await agent.call("checkpoint", action="drop", path=agent.home, name="yesterday")


async def saved_version(agent: Agent) -> None:
    """Save the project under a new name and wait until it is done."""
    name = f"{agent.home.rsplit('/', 1)[1]}.toe"
    started = await agent.call("save_project", path=name)
    outcome = await agent.job(started["job"])
    assert outcome["state"] == "done" and outcome["result"]["file"].endswith(name)
    status = await agent.call("get_status")
    assert status["project"]["saved"] is True and status["project"]["modified"] is False
    assert agent.truth(f"__import__('os').path.getsize(project.folder + '/{name}') > 0") is True


async def found_and_changed(agent: Agent) -> None:
    """Change every operator of a kind, wherever it is."""
    agent.found(
        "for i in range(12):\n"
        "    c = home.create('baseCOMP', f'scene{i}'); b = c.create('blurTOP', 'soft'); b.par.size = 4 + i % 3"
    )
    found = await agent.call("find_operators", path=agent.home, type="blurTOP", param="size", value="5")
    assert found["total"] == 4
    answer = await agent.call(
        "set_parameters", changes=[{"path": row["path"], "params": {"size": 7}} for row in found["operators"]]
    )
    assert answer["changed"] == 4
    assert (
        agent.truth("sorted(o.op('soft').par.size.eval() for o in home.children)")
        == [4] * 4 + [6] * 4 + [7] * 4
    )
