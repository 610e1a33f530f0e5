"""Clients that sign in (OAuth) against the stand-in: what each does, as a table.

`python run.py clients --oauth [NAME...]`, or `python -m tests.clients.oauth [NAME...]`. Needs what the other clients need,
and takes some minutes. A person is played by a browser without a window (Chromium, where there is one) that approves at the
component when the code there is the code on its page. Ends with 1 if something that should work does not.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from fakes.driver import StandIn
from tests.clients.oauth_clients import CLIENTS, FOUND, Client
from tests.clients.oauth_person import WITHIN, Person
from tests.clients.oauth_proxy import Watched
from tests.integration.clients import INITIALIZE, JSON_HEADERS, request

STEPS: Final = ("discovery", "registration", "sign-in", "call", "refresh", "revoke")
#: Clients that sign in at the same server: more would wait for each other's programs, and register too often.
_AT_ONCE: Final = 4
#: Seconds for a call of one whose grant is gone.
_WAITS_AT_MOST: Final = 15
_SERVER: Final = "/.well-known/oauth-authorization-server"


class Trial:
    """One client, and what it has done."""

    def __init__(self, name: str, client: Client, proxy: Watched) -> None:
        self.name, self.client, self.proxy = name, client, proxy
        self.found: dict[str, str] = {}
        """By step what went wrong; nothing if it went well."""
        self.instead: dict[str, str] = {}
        """By step what the client does in another way, which is its own choice."""

    def begin(self) -> None:
        """Sign in, and call."""
        trouble = self.client.sign_in()
        seen = self.proxy
        self._note("discovery", seen.has("GET", _SERVER))
        self._note("registration", seen.has("POST", "/register"))
        self._note("sign-in", seen.has("POST", "/token", "authorization_code"), trouble)
        self._call("call")

    def refresh(self) -> None:
        """Call with a token that has expired."""
        self.proxy.expire()
        self.client.expire()
        self._call("refresh")
        if not self.found["refresh"] and not self.proxy.has("POST", "/token", "refresh_token"):
            self.instead["refresh"] = "signs in again"

    def revoked(self) -> None:
        """Call after all remote agents were forgotten: it must not get through, and must hear why."""
        # Some wait for a browser, which does not come back any more.
        self.client.timeout = _WAITS_AT_MOST
        answer = self._answer()
        self.found["revoke"] = f"it still gets through: {answer}" if FOUND in answer else ""

    def _call(self, step: str) -> None:
        answer = self._answer()
        self._note(step, FOUND in answer, answer)

    def _answer(self) -> str:
        try:
            return self.client.call()
        except Exception as error:  # noqa: BLE001 - whatever a client does is the finding
            return f"{type(error).__name__}: {error}"

    def _note(self, step: str, good: bool, words: str = "") -> None:
        last = [f"{one.method} {one.path} {one.grant} {one.status}" for one in self.proxy.seen[-6:]]
        self.found[step] = "" if good else f"{words[:500]} … {last}"


def main(wanted: list[str]) -> int:
    """Try the clients whose names contain one of the words; the table, and what went wrong, is printed."""
    began = time.monotonic()
    chosen = [name for name in CLIENTS if not wanted or any(word.lower() in name.lower() for word in wanted)]
    trials: list[Trial] = []
    pages: set[str] = set()
    troubles: list[str] = []
    for first in range(0, len(chosen), _AT_ONCE):
        with _trials(chosen[first : first + _AT_ONCE]) as (td, person, group):
            _try(td, person, group)
        trials += group
        pages |= set(person.pages)
        troubles += person.troubles
    print(table({each.name: {**each.found, **each.instead} for each in trials}))
    for each in trials:
        for step, trouble in each.found.items():
            if trouble:
                print(f"{each.name}: {step}: {trouble}")
    print(*(f"The browser: {trouble}" for trouble in troubles), sep="\n")
    print(f"Signed in by {' and '.join(sorted(pages)) or 'nobody'}; {time.monotonic() - began:.0f} s.")
    return 1 if any(trouble for each in trials for trouble in each.found.values()) else 0


def _forget(td: StandIn, tokens: set[str]) -> None:
    """Forget all remote agents, and wait until the server has done so."""
    td.exec(f"op({td.ready['component']!r}).par.Forgetagents.pulse()")
    ends = time.monotonic() + WITHIN
    while any(
        request(td.url, "POST", INITIALIZE, {**JSON_HEADERS, "Authorization": f"Bearer {token}"}).status
        != 401
        for token in tokens
    ):
        assert time.monotonic() < ends, "the agents are not forgotten"


def _try(td: StandIn, person: Person, trials: list[Trial]) -> None:
    """Some clients at the same time, with one stand-in."""
    with ThreadPoolExecutor(len(trials)) as threads:
        list(threads.map(Trial.begin, trials))
        list(threads.map(Trial.refresh, [each for each in trials if not each.found["call"]]))
        person.signs_in = False
        _forget(td, {token for each in trials for token in each.proxy.issued})
        list(threads.map(Trial.revoked, [each for each in trials if not each.found["call"]]))


def table(found: Mapping[str, Mapping[str, str]]) -> str:
    """Clients by steps, as a table of Markdown."""
    rows = [[name, *(_cell(steps, step) for step in STEPS)] for name, steps in found.items()]
    lines = [["client", *STEPS], ["---"] * (len(STEPS) + 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(steps: Mapping[str, str], step: str) -> str:
    if step not in steps:
        return "–"
    return {"": "yes", "signs in again": "signs in again"}.get(steps[step], "no")


@contextmanager
def _trials(names: list[str]) -> Iterator[tuple[StandIn, Person, list[Trial]]]:
    settings: list[Any] = ["--set", "Oauth=1"]
    with (
        StandIn("--scene", "empty", *settings) as td,
        Person(td) as person,
        TemporaryDirectory(ignore_cleanup_errors=True) as homes,
        ExitStack() as stack,
    ):
        trials = []
        for name in names:
            proxy = stack.enter_context(Watched(int(td.ready["port"])))
            home = Path(homes, name.replace(" ", "-").replace("(", "").replace(")", ""))
            home.mkdir()
            client = CLIENTS[name](f"{proxy.address}/mcp", home, person)
            stack.callback(client.close)
            trials.append(Trial(name, client, proxy))
        yield td, person, trials


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
