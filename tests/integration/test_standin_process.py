"""The stand-in as a process: its ready line, its control lines, its frames, its end."""

import json
import signal
import socket
import subprocess
import sys

import pytest

from fakes.driver import StandIn

STATS_KEYS = {
    "frames", "late_frames", "dropped_frames", "frame_ms", "thread_conflicts", "operators", "undo_depth", "pump",
    "threads", "open_sockets",
}  # fmt: skip


def until(question, answer, tries=400):
    """Ask until the answer comes, bounded by tries: each goes through the stand-in's next frame."""
    got = None
    for _ in range(tries):
        got = question()
        if got == answer:
            return
    raise AssertionError(f"still {got!r}, not {answer!r}")


@pytest.fixture(scope="module")
def bare():
    """TouchDesigner alone, without the component: starts at once."""
    with StandIn("--bare", "--scene", "empty") as running:
        yield running


@pytest.fixture(scope="module")
def served():
    """The stand-in with the real component serving."""
    with StandIn("--scene", "demo") as running:
        yield running
        assert not running.strays
        assert running.stats()["thread_conflicts"] == 0


# TouchDesigner alone


def test_exec_gives_the_repr_of_the_last_expression(bare):
    assert bare.exec("1 + 1") == "2"
    assert bare.exec("a = 3\na * 'x'") == "'xxx'"
    assert bare.exec("a = 3") == "None"


def test_exec_runs_in_the_scope_of_touchdesigner(bare):
    assert bare.exec("op('/project1').path") == "'/project1'"
    assert bare.exec("import td\ntd.isMainThread()") == "True"


def test_exec_tells_type_and_message_of_an_error(bare):
    with pytest.raises(RuntimeError, match="ZeroDivisionError: division by zero"):
        bare.exec("1 / 0")


def test_what_scripts_print_never_reaches_standard_output(bare):
    bare.exec("import os\nprint('printed')\nos.system('echo from a child')")
    assert bare.strays == []
    assert "printed" in bare.stderr()


def test_stats_has_every_key_and_counts_frames(bare):
    bare.do("reset_stats")
    first = bare.stats()
    assert set(first) >= STATS_KEYS
    assert set(first["frame_ms"]) == {"p50", "p99", "max"}
    bare.exec("1")
    bare.exec("1")
    assert bare.stats()["frames"] > 0


def test_an_unknown_command_is_answered_with_what_there_is(bare):
    with pytest.raises(RuntimeError, match="reset_stats"):
        bare.do("fly")


def test_a_blocked_main_thread_leaves_the_control_lines_alive(bare):
    assert bare.do("block_main", seconds=3)["begun"]
    assert bare.stats()["main_thread"] == "blocked"
    assert bare.exec("'free again'") == "'free again'"


def test_a_native_dialog_stops_frames_until_it_is_closed(bare):
    bare.do("modal", open=True)
    until(lambda: bare.stats()["main_thread"], "blocked")
    frames = bare.stats()["frames"]
    assert bare.stats()["frames"] == frames
    bare.do("modal", open=False)
    assert bare.exec("1") == "1"


def test_a_message_box_leaves_frames_and_the_control_lines_running_until_it_is_answered(bare):
    bare.do("message_box")
    bare.exec(
        "got = []\nrun(lambda: got.append(ui.messageBox('Delete', 'Really?', buttons=['Yes', 'No'])), delayFrames=1)"
    )
    frames = bare.stats()["frames"]
    until(lambda: bare.exec("1") and bare.stats()["frames"] > frames + 2, True)
    assert bare.exec("got") == "[]"
    assert bare.do("message_box", answer=1)["open"] == ["Delete: Really? ['Yes', 'No']"]
    until(lambda: bare.exec("got"), "[1]")


def test_a_paused_timeline_goes_on_counting_frames_but_not_time(bare):
    bare.do("timeline", play=False)
    bare.exec("1")
    frame = bare.exec("absTime.frame")
    for _ in range(3):
        bare.exec("1")
    assert bare.exec("absTime.frame") == frame
    bare.do("timeline", play=True)
    until(lambda: bare.exec(f"absTime.frame > {frame}"), "True")


def test_the_power_button_stops_processing_and_exec_still_sees(bare):
    bare.exec("seen = []\nrun(seen.append, 1, delayFrames=3, delayRef=op.TDResources)")
    bare.do("power", on=False)
    for _ in range(5):
        bare.exec("1")
    assert bare.exec("seen") == "[]"
    bare.do("power", on=True)
    until(lambda: bare.exec("seen"), "[1]")


def test_perform_mode(bare):
    bare.do("perform", on=True)
    assert bare.exec("ui.performMode") == "True"
    bare.do("perform", on=False)
    assert bare.exec("ui.performMode") == "False"


def test_killing_runs_cancels_what_was_pending(bare):
    bare.exec("killed = []\nrun(killed.append, 1, delayFrames=200)")
    assert bare.do("kill_runs")["killed"] >= 1
    assert bare.exec("len(runs)") == "0"


def test_saving_blocks_and_writes_the_project(bare):
    saved = bare.do("save", seconds=0.2)
    with open(saved["path"], "rb") as file:
        assert file.read(8) == b"FAKE-TOX"
    assert bare.stats()["frame_ms"]["max"] < 60_000


def test_the_end_of_standard_input_does_not_end_it(tmp_path):
    ready = tmp_path / "ready.json"
    process = subprocess.Popen(
        [sys.executable, "-m", "fakes", "--bare", "--scene", "empty", "--home", str(tmp_path), "--ready-file", str(ready)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    line = json.loads(process.stdout.readline())
    assert line["event"] == "ready" and line["pid"] == process.pid
    assert json.loads(ready.read_text("utf-8")) == line
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.3)
    process.terminate()
    assert process.wait(30) == 0
    process.stdout.close()


def test_quit_fires_on_exit_and_ends():
    with StandIn("--bare", "--scene", "empty") as running:
        running.exec(
            "dat = op('/project1').create(executeDAT, 'last')\n"
            "dat.text = 'def onExit():\\n    import sys\\n    print(\"last words\", file=sys.stderr)'\n"
            "dat.par.exit = True\ndat.par.active = True"
        )
        running.do("quit")
        assert running.process.wait(30) == 0
        assert "last words" in running.stderr()


def test_a_crash_cleans_nothing_up():
    with StandIn("--bare", "--scene", "empty") as running:
        running.do("crash")
        assert running.process.wait(30) not in (0, None)


@pytest.mark.parametrize("command", [("block_main", {"seconds": 60}), ("modal", {"open": True})])
def test_sigterm_ends_it_also_while_it_hangs(command):
    with StandIn("--bare", "--scene", "empty") as running:
        running.do(command[0], **command[1])
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(30) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        ["--scene", "huge"],
        ["--scene", "large:many"],
        ["--fps", "0"],
        ["--set", "Port"],
        ["--set", "Nosuch=1"],
    ],
)
def test_a_wrong_command_line_is_refused_with_a_sentence(wrong, tmp_path):
    ran = subprocess.run(
        [sys.executable, "-m", "fakes", "--home", str(tmp_path), "--scene", "empty", *wrong],
        check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert ran.returncode != 0
    assert ran.stdout == ""
    assert wrong[-1].split("=")[0] in ran.stderr


# With the component


def test_the_ready_line_has_its_keys_and_the_port_is_open(served):
    assert {"url", "port", "token", "pid", "dashboard", "component"} <= set(served.ready)
    assert served.ready["url"] == f"http://127.0.0.1:{served.ready['port']}/mcp"
    assert served.ready["component"].startswith("/project1/")
    with socket.create_connection(("127.0.0.1", served.ready["port"]), timeout=5):
        pass


def test_the_pump_is_counted(served):
    assert served.stats()["pump"]


def test_the_demo_scene_has_no_errors(served):
    until(lambda: served.exec("op('/project1').errors(recurse=True)"), "''")
    assert served.exec("op('/project1').scriptErrors(recurse=True)") == "''"


def test_a_re_initialised_component_serves_on(served):
    served.do("reinit_component")
    until(lambda: served.exec(f"op({served.ready['component']!r}).par.Url.eval()"), repr(served.ready["url"]))


def test_settings_and_token_of_the_command_line_reach_the_component():
    with StandIn(
        "--scene", "empty", "--token", "secret-of-the-test", "--set", "Instancename=Stage"
    ) as running:
        assert running.token == "secret-of-the-test"
        component = running.ready["component"]
        assert running.exec(f"op({component!r}).par.Instancename.eval()") == "'Stage'"
        running.do("delete_component")
        assert running.exec(f"op({component!r})") == "None"
        until(lambda: running.exec("1") and _is_open(running.ready["port"]), False)
        running.do("drop_component")
        until(lambda: running.exec(f"bool(op({component!r}).par.Url.eval())"), "True", tries=4000)


def _is_open(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_without_a_token_none_is_told():
    with StandIn("--scene", "empty", "--no-token") as running:
        assert running.token is None
        assert running.exec(f"op({running.ready['component']!r}).par.Requirekey.eval()") in ("0", "False")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("op('/project1').create('nosuchTOP')", "tdError: Unknown operator type"),
        ("raise SystemExit(3)", "SystemExit: 3"),
    ],
)
def test_code_that_ends_badly_is_an_error_and_ends_no_process(bare, code, error):
    with pytest.raises(RuntimeError, match=error):
        bare.exec(code)
    assert bare.exec("1 + 1") == "2"
