"""A hand-driven host for tests of the boot function: `run()`, frames, one component, and a server that does as told.

Only what `embed` asks of TouchDesigner is here; anything else is an AttributeError. The whole component is tested in
the stand-in (`tests/integration/test_component_life.py`).
"""

from functools import partial
from importlib import import_module
from types import SimpleNamespace
from typing import ClassVar

from tdmcp_embedded.loading import NEEDED
from tdmcp_embedded.serving import Outcome, Phase

# What is imported already need not be imported on a thread.
for name in NEEDED:
    import_module(name)


class Par:
    def __init__(self, val=""):
        self.val = val

    def eval(self):
        return self.val


class Pars(dict):
    def __getitem__(self, name):
        # TouchDesigner gives None for a parameter that is not there.
        return self.get(name)


class Owner:
    def __init__(self, owner_id=7, names=("Status", "Url", "Version", "Consent")):
        self.id = owner_id
        self.path = "/project1/tdmcp"
        self.valid = True
        self.par = Pars({name: Par() for name in names})

    def shown(self, name):
        return self.par[name].val


class Log:
    valid = True

    def __init__(self):
        self.rows = [["time", "event"]]

    @property
    def numRows(self):
        return len(self.rows)

    def appendRow(self, row):
        self.rows.append(row)

    def deleteRow(self, index):
        del self.rows[index]

    def clear(self, keepFirstRow):
        del self.rows[int(keepFirstRow) :]


class Host:
    """The module `td`, with `frame()` for one frame of it and `clock` for seconds."""

    def __init__(self):
        self.tasks = []
        manager = SimpleNamespace(TDTask=SimpleNamespace, EnqueueTask=self._enqueue)
        self.op = SimpleNamespace(TDResources=SimpleNamespace(ThreadManager=manager))
        self.project = SimpleNamespace(name="show.7.toe", folder="", modified=False, cookRate=60.0)
        self.app = SimpleNamespace(version="099", build="2025.32460", power=True, pythonExecutable="python")
        self.ui = SimpleNamespace(performMode=False)
        self.root = SimpleNamespace(time=SimpleNamespace(play=True, frame=1.0, rate=60.0))
        self.pending, self.at_end = [], []
        self.now = 100.0

    def _enqueue(self, task, standalone):
        """What the Thread Manager is given; the tests call its hooks."""
        assert standalone, "the pool has four threads, which are for others"
        self.tasks.append(task)

    def pause(self, paused):
        self.root.time.play = not paused

    def run(self, text, *args, delayFrames=0, delayRef=None, endFrame=False, fromOP=None):
        assert isinstance(text, str), "builds of 2023 take text only"
        assert fromOP is self.root, "the operator whose script is running may be gone by then"
        function, args = partial(eval, text, {"args": args}), ()
        if endFrame:
            self.at_end.append((function, args))
            return None
        assert delayRef is self.op.TDResources, (
            "delays on another clock stand still while the timeline is paused"
        )
        entry = [delayFrames, function, args]
        self.pending.append(entry)
        return SimpleNamespace(kill=lambda: entry in self.pending and self.pending.remove(entry))

    def frame(self, count=1):
        for _ in range(count):
            due = []
            for entry in self.pending:
                entry[0] -= 1
                if entry[0] <= 0:
                    due.append(entry)
            self.pending = [entry for entry in self.pending if entry not in due]
            for _, function, args in due:
                function(*args)
            at_end, self.at_end = self.at_end, []
            for function, args in at_end:
                function(*args)

    def clock(self):
        return self.now


class Server:
    """Stands in for `Serving`: every one made is kept in `made`; the test says what becomes of it."""

    made: ClassVar[list["Server"]] = []

    def __init__(self, td, queue, facts, values, log=None, *, no_frames=None):
        self.td, self.queue, self.facts, self.values = td, queue, facts, values
        self.phase, self.version = Phase.STARTING, 0
        self.sentence, self.final, self.warning = "", False, ""
        self.url, self.port, self.key = "", 0, "secret"
        self.asked, self.decided = ("", ""), []
        self.started = self.ended = False
        self.alive = False
        self.outcome = Outcome()
        self.applied = []
        self.fact_changes = 0
        Server.made.append(self)

    @property
    def local_url(self):
        return self.url

    @property
    def shown_url(self):
        return self.url

    def start(self):
        self.started = self.alive = True

    def end(self):
        self.ended, self.alive = True, False

    def join(self, timeout):
        return True

    def apply(self, values):
        self.applied.append(values)
        return self.outcome

    def decide(self, request_id, approve):
        self.decided.append((request_id, approve))

    def facts_changed(self):
        self.fact_changes += 1

    def answer(self, port=9988):
        self.phase, self.url, self.port = Phase.SERVING, f"http://127.0.0.1:{port}/mcp", port
        self.version += 1

    def fail(self, sentence, final=False):
        self.phase, self.sentence, self.final, self.alive = Phase.FAILED, sentence, final, False
        self.version += 1
