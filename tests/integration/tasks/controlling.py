"""Controls, movement and time."""

from __future__ import annotations

from tests.integration.tasks.agent import Agent


async def exposed_controls(agent: Agent) -> None:
    """Expose controls of a component as custom parameters and bind them."""
    agent.found(
        "c = home.create('baseCOMP', 'look'); c.create('noiseTOP', 'noise1'); c.create('levelTOP', 'level1')"
    )
    look = f"{agent.home}/look"
    await agent.call(
        "define_parameters",
        path=look,
        pages=[
            {
                "name": "Look",
                "parameters": [
                    {"name": "Size", "style": "Float", "default": 4, "min": 0.1, "max": 20},
                    {"name": "Style", "style": "Menu", "menu": ["sparse", "simplex3d"]},
                    {"name": "Monochrome", "style": "Toggle"},
                    {"name": "Tint", "style": "RGB", "default": [1, 1, 1]},
                ],
            }
        ],
    )
    await agent.call(
        "set_parameters",
        changes=[
            {
                "path": f"{look}/noise1",
                "params": {
                    "period": {"bind": "parent().par.Size"},
                    "type": {"expr": "parent().par.Style"},
                    "mono": {"bind": "parent().par.Monochrome"},
                },
            },
            {"path": look, "params": {"Size": 7.5, "Style": "simplex3d"}},
        ],
    )
    values = "[home.op('look/noise1').par[name].eval() for name in ('period', 'type')]"
    assert agent.truth(values) == [7.5, "simplex3d"]
    agent.found("home.op('look/noise1').par.period = 3")
    inspected = await agent.call("inspect_operator", paths=[look], parameters="Size")
    assert inspected["operators"][0]["parameters"]["Size"]["value"] == 3


async def still_at_a_frame(agent: Agent) -> None:
    """Stop the timeline at a frame, take a still, and go on playing."""
    agent.found("n = home.create('noiseTOP', 'noise1'); n.par.tz.expr = 'me.time.frame / 100'")
    stopped = await agent.call("control_timeline", action="pause", frame=120)
    assert stopped["playing"] is False and stopped["frame"] == 120
    assert agent.truth("[root.time.play, root.time.frame]") == [False, 120]
    picture = await agent.picture(f"{agent.home}/noise1", max_size=256, format="jpeg")
    assert "): ok; " in picture, picture
    await agent.call("control_timeline", action="play")
    assert agent.truth("root.time.play") is True


async def does_it_move(agent: Agent) -> None:
    """Find out whether something moves, and make it move."""
    agent.found("home.create('lfoCHOP', 'lfo1').par.frequency = 0")
    watch = [{"path": f"{agent.home}/lfo1", "channel": "chan1"}]
    assert (await agent.call("watch_values", watch=watch, frames=6))["values"][0]["changes"] == 0
    await agent.call("set_parameters", changes=[{"path": f"{agent.home}/lfo1", "params": {"frequency": 2}}])
    assert (await agent.call("watch_values", watch=watch, frames=12))["values"][0]["changes"] > 0
    assert agent.truth("home.op('lfo1').par.frequency.eval()") == 2


async def slowest_operator(agent: Agent) -> None:
    """Find the slowest operator and halve its cost."""
    agent.found(
        "n = home.create('noiseTOP', 'noise1'); n.par.tz.expr = 'absTime.seconds'\n"
        "b = home.create('blurTOP', 'heavy'); b.par.size = 20\n"
        "b.par.outputresolution = 'custom'; b.par.resolutionw = 1024; b.par.resolutionh = 1024\n"
        "o = home.create('nullTOP', 'out')\n"
        "b.inputConnectors[0].connect(n); o.inputConnectors[0].connect(b)\n"
        # Operators cook only when something asks: here a script of the project's own does, in every frame.
        "d = home.create('executeDAT', 'show'); d.par.framestart = d.par.active = True\n"
        "d.text = 'def onFrameStart(frame):\\n\\top(\"out\").cook()\\n'"
    )
    before = await agent.call("measure_performance", path=agent.home, frames=10, slowest=3)
    worst = before["slowest"][0]
    assert worst["path"] == f"{agent.home}/heavy"
    shown = await agent.call("inspect_operator", paths=[worst["path"]])
    width, height = (
        shown["operators"][0]["parameters"][name]["value"] for name in ("resolutionw", "resolutionh")
    )
    smaller = {"resolutionw": width // 2, "resolutionh": height // 2}
    await agent.call("set_parameters", changes=[{"path": worst["path"], "params": smaller}])
    after = await agent.call("measure_performance", path=agent.home, frames=10, slowest=3)
    assert {row["path"] for row in after["slowest"]} == {row["path"] for row in before["slowest"]}
    assert agent.truth("home.op('heavy').width") == 512
    agent.found("home.op('show').par.active = False")
