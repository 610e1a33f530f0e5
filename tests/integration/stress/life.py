"""Starting the server of a stand-in's component anew, and knowing when the new one serves."""

from __future__ import annotations

from fakes.driver import StandIn
from tests.integration.stress.wire import COMPONENT, SERVER, until


def mark(td: StandIn) -> None:
    """Mark the present run of the server, if there is one, to tell the next one from it."""
    td.exec(f"{SERVER}._serving and setattr({SERVER}._serving, 'marked', True)")


def is_marked(td: StandIn) -> bool:
    return td.exec(f"'marked' in {SERVER}._serving.__dict__") == "True"


def serving_again(td: StandIn) -> None:
    """Wait until a run serves that is not marked."""
    run = f"{SERVER}._serving"
    unmarked = f"{run} is not None and 'marked' not in {run}.__dict__ and {SERVER}.status.state == 'serving'"
    until(td, lambda: td.exec(unmarked), lambda answer: answer == "True")


def restart(td: StandIn) -> None:
    mark(td)
    td.exec(f"{COMPONENT}.par.Restart.pulse()")
    serving_again(td)


def status_of(td: StandIn) -> str:
    return td.exec(f"{COMPONENT}.par.Status.eval()")
