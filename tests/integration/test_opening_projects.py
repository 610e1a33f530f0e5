"""Another project is opened in the same process, and a component that was dropped in keeps its settings (facts 59, 60)."""

from __future__ import annotations

import ast
import contextlib
import socket
from urllib.parse import urlsplit

import pytest

from fakes.driver import StandIn
from tests.integration.component import (
    COMPONENT,
    answers,
    entries,
    gone,
    initialize,
    on_a_fixed_port,
    par,
    serving,
    until,
)

LINK = "[{0}.par.externaltox.expr, {0}.par.externaltox.eval(), {0}.par.enableexternaltox.eval(), {0}.par.reloadcustom.eval()]"


@pytest.fixture(scope="module")
def td():
    with on_a_fixed_port() as stand_in:
        yield stand_in
        assert stand_in.stats()["thread_conflicts"] == 0
        assert stand_in.strays == []


def opened(td: StandIn, path: str = "") -> None:
    """Open a project, or an empty one, and wait until it is there."""
    td.exec("op('/project1').store('before', True)")
    td.do("open_project", path=path)
    until(lambda: td.exec("op('/project1').fetch('before', False, search=False)"), "False")
    td.exec("1")


def test_the_link_to_the_dropped_file_is_cleared(td):
    serving(td)
    until(lambda: ast.literal_eval(td.exec(LINK.format(COMPONENT))), ["", "", False, False])


def test_with_the_component_in_the_new_project_it_serves_again(td):
    before = serving(td)
    ids = "{o.id for o in op('/project1').findChildren()}"
    former = ast.literal_eval(td.exec(ids))
    path = td.do("save", seconds=0, path="with component.toe")["path"]
    opened(td, path)
    assert ast.literal_eval(td.exec(ids)) & former, "ids repeat, and must not be taken for the same operator"
    # What was saved says that it serves; the server itself has to answer.
    until(lambda: td.exec("1") and answers(before), True)
    assert serving(td) == before
    assert initialize(td) == 200
    assert [entry["component"] for entry in entries(td)] == ["/project1/tdmcp"]
    frames = td.stats()["pump"]["frames"]
    until(lambda: td.stats()["pump"]["frames"], lambda now: now > frames + 5)


def test_settings_survive_saving_and_opening(td):
    serving(td)
    td.do("delete_component")
    td.do("drop_component")
    serving(td)
    until(lambda: ast.literal_eval(td.exec(LINK.format(COMPONENT))), ["", "", False, False])
    former = int(td.exec(f"{COMPONENT}.par.Port.eval()"))
    td.exec(f"{COMPONENT}.par.Accesslevel = 'observe'\n{COMPONENT}.par.Portscan = 3")
    td.exec(f"{COMPONENT}.par.Port = {former + 1}\n{COMPONENT}.par.Active = False")
    until(lambda: par(td, "Status"), "Off.")
    path = td.do("save", seconds=0, path="own settings.toe")["path"]
    opened(td, path)
    until(lambda: td.exec(f"{COMPONENT} is not None"), "True")
    shown = f"[{COMPONENT}.par[n].eval() for n in ('Accesslevel', 'Port', 'Portscan', 'Active')]"
    assert ast.literal_eval(td.exec(shown)) == ["observe", former + 1, 3, False]
    assert entries(td) == [] and not answers(td.url)
    td.exec(f"{COMPONENT}.par.Port = {former}\n{COMPONENT}.par.Portscan = 10")
    td.exec(f"{COMPONENT}.par.Accesslevel = 'full'\n{COMPONENT}.par.Active = True")
    assert serving(td) == td.url


def replaced(td: StandIn) -> None:
    """A fresh component in the place of the one that a test has changed."""
    td.do("delete_component")
    gone(td, td.url)
    td.do("drop_component")
    assert serving(td) == td.url


def test_custom_parameters_that_are_missing_are_made_again_at_the_start(td):
    serving(td)
    td.exec(f"{COMPONENT}.par.Portscan = 4\n{COMPONENT}.par.Budgetms.destroy()")
    td.exec("[page.destroy() for page in list(" + COMPONENT + ".customPages) if page.name == 'Clients']")
    missing = f"[{COMPONENT}.par[n] is None for n in ('Budgetms', 'Client', 'Installclient', 'Url')]"
    assert ast.literal_eval(td.exec(missing)) == [True, True, True, False]
    opened(td, td.do("save", seconds=0, path="missing.toe")["path"])
    until(lambda: ast.literal_eval(td.exec(missing)), [False, False, False, False])
    assert serving(td) == td.url
    shown = f"[{COMPONENT}.par.Budgetms.eval(), {COMPONENT}.par.Budgetms.page.name, {COMPONENT}.par.Portscan.eval()]"
    assert ast.literal_eval(td.exec(shown)) == [4.0, "Performance", 4]
    replaced(td)


def test_it_starts_and_hears_its_parameters_without_an_extension(td):
    serving(td)
    td.exec(
        f"{COMPONENT}.par.ext0promote = False\n{COMPONENT}.par.ext0object = ''\n{COMPONENT}.par.ext0name = ''"
    )
    opened(td, td.do("save", seconds=0, path="no extension.toe")["path"])
    until(lambda: td.exec("1") and answers(td.url), True)
    assert serving(td) == td.url
    assert td.exec(f"hasattr({COMPONENT}, 'Restart')") == "False"
    td.exec(f"{COMPONENT}.par.Active = False")
    until(lambda: par(td, "Status"), "Off.")
    td.exec(f"{COMPONENT}.par.Active = True")
    assert serving(td) == td.url
    started = entries(td)[0]["started"]
    td.exec(f"{COMPONENT}.par.Restart.pulse()")
    until(
        lambda: td.exec("1") and [entry["started"] for entry in entries(td)],
        lambda now: now and now[0] != started,
    )
    assert serving(td) == td.url
    replaced(td)


#: Names of the threads of ours in the stand-in's process.
OURS = "[t.name for t in __import__('threading').enumerate() if t.name.startswith('tdmcp')]"


def log_ends_at_once(td: StandIn) -> None:
    """The log's thread ends by itself after a while; here nobody has to wait for it."""
    td.exec(
        "[setattr(s.log._writer, '_idle', 0.0) "
        "for s in __import__('sys').modules['tdmcp_embedded.embed']._servers.values()]"
    )


def test_switched_off_and_without_the_component_no_thread_is_left(td):
    url = serving(td)
    log_ends_at_once(td)
    td.exec(f"{COMPONENT}.par.Active = False")
    until(lambda: par(td, "Status"), "Off.")
    opened(td)
    gone(td, url)
    until(lambda: ast.literal_eval(td.exec(OURS)), [])
    assert entries(td) == []
    td.do("drop_component")
    assert serving(td) == url


def test_without_the_component_nothing_of_the_server_is_left(td):
    url = serving(td)
    opened(td)
    assert td.exec(COMPONENT) == "None"
    gone(td, url)
    until(lambda: td.exec("1") and entries(td), [])
    until(lambda: ast.literal_eval(td.exec(OURS)), [])
    td.do("drop_component")
    assert serving(td) == url


#: Ways in which the main thread cannot be reached without a frame: the interpreter has no way, or no such call ever comes.
UNREACHABLE = {
    "the interpreter cannot be asked": "m.call_soon = lambda function: False; m._since = -math.inf",
    "no call ever comes": "m._waiting.append(print); m._since = m._clock()",
}


@contextlib.contextmanager
def unreachable(td: StandIn, how: str):
    """A process in which the main thread cannot be reached so, with seconds in place of minutes."""
    modules = (
        "import math, sys\nm, s = (sys.modules['tdmcp_embedded.' + n] for n in ('main_thread', 'serving'))\n"
    )
    keep = "m._kept = m.call_soon, s.WATCH_PAUSE, s.ASKING_IMPOSSIBLE, s.ASKED_IN_VAIN\n"
    soon = "s.WATCH_PAUSE, s.ASKING_IMPOSSIBLE, s.ASKED_IN_VAIN = 0.2, 1.0, 1.0\n"
    td.exec(modules + keep + soon + UNREACHABLE[how])
    yield
    back = "m.call_soon, s.WATCH_PAUSE, s.ASKING_IMPOSSIBLE, s.ASKED_IN_VAIN = m._kept\n"
    td.exec(modules + back + "m._waiting.clear(); m._since = 0.0")


def refused(url: str) -> None:
    """Wait until nobody listens there any more, without a frame: connections end, then none is taken."""
    parts = urlsplit(url)
    for _ in range(1000):
        try:
            with socket.create_connection((parts.hostname, parts.port), 30) as connection:
                connection.recv(1)
        except ConnectionRefusedError:
            return
        except ConnectionError:
            continue
    raise AssertionError(f"{url} still listens")


@pytest.mark.parametrize("how", UNREACHABLE)
def test_nothing_is_left_either_where_the_main_thread_cannot_be_asked(td, how):
    url = serving(td)
    log_ends_at_once(td)
    with unreachable(td, how):
        opened(td)
        assert td.exec(COMPONENT) == "None"
        gone(td, url)
        until(lambda: td.exec("1") and entries(td), [])
        until(lambda: ast.literal_eval(td.exec(OURS)), [])
    td.do("drop_component")
    assert serving(td) == url


@pytest.mark.parametrize("how", UNREACHABLE)
def test_a_server_that_ended_for_lack_of_frames_comes_back_with_them(td, how):
    url = serving(td)
    with unreachable(td, how):
        td.do("modal", open=True)
        refused(url)
        td.do("modal", open=False)
        assert serving(td) == url
        until(lambda: td.exec("1") and answers(url), True)
        assert [entry["component"] for entry in entries(td)] == ["/project1/tdmcp"]
