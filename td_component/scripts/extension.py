"""Extension of the component: boots its server once, passes parameters on to it, and lets go when it is destroyed.

TouchDesigner builds an extension lazily, and again whenever its source changes or the project is saved. So nothing
lives here: the server is kept by `tdmcp_embedded.embed`, which outlives this module. The callbacks make one of these
for themselves, so that they work where the extension is not built or not promoted.
"""

import sys
from typing import Any

import td  # type: ignore[import-not-found]  # only TouchDesigner has it

READ_OUTS = ("Status", "Url", "Version", "Consent", "Clientresult", "Report")
COMMENT = "MCP server: lets AI agents see, build and debug this project."
#: Seen once for each version of the full build.
UNPACKING = "Unpacking the server's libraries; this happens once for each version."
#: The oldest year of builds whose Python the libraries run on.
OLDEST = 2023
#: Frames after which the link to the dropped file is looked at once more.
LINK_FRAMES = 30

#: Components, by id, that `_prepare` has seen since this module was compiled.
_prepared: set[int] = set()


class Tdmcp:
    """Promoted to the component: `op.tdmcp.Restart()` works from any script."""

    def __init__(self, ownerComp: Any) -> None:
        self.ownerComp = ownerComp

    def onDestroyTD(self) -> None:
        """Comes when the component is deleted, and as well when the extension is only built anew."""
        embed = sys.modules.get("tdmcp_embedded.embed")
        if embed is not None:
            embed.released(td)

    def Boot(self) -> None:
        """Start the server unless it is there already. On start, on create, and whenever something asks again.

        Raises:
            Exception: whatever keeps it from starting; *Status* has said it by then.
        """
        if self._server() is not None:
            return
        try:
            self._boot()
        except Exception as error:
            self._say(_sentence(error))
            raise

    def _boot(self) -> None:
        if self.ownerComp.id not in _prepared:
            self._prepare()
            _prepared.add(self.ownerComp.id)
        loaded = self.ownerComp.op("bootstrap").module.load(self.ownerComp, td)
        if loaded is None:
            self._say(UNPACKING)
        else:
            embed, notice = loaded
            embed.start(self.ownerComp, td, self._values(), log=self.ownerComp.op("log"), notice=notice)
        lifecycle = self.ownerComp.op("lifecycle")
        if lifecycle is not None:
            lifecycle.module.follow(lifecycle.module.look)

    def _prepare(self) -> None:
        """What comes before anything is unpacked or started."""
        self._say("Starting.")
        refuse_old_build(td)
        parameters = self.ownerComp.op("parameters")
        if parameters is not None:
            parameters.module.restore(self.ownerComp)
        if not self.ownerComp.comment:
            self.ownerComp.comment = COMMENT
        unlink(self.ownerComp)
        # Dropping a file may write the link only after onCreate. As text: builds of 2023 take no function (fact 63).
        td.run(
            "args[0](args[1])",
            unlink,
            self.ownerComp,
            delayFrames=LINK_FRAMES,
            delayRef=td.op.TDResources,
            fromOP=td.root,
        )

    def _say(self, sentence: str) -> None:
        # What was saved with the component is of another time, the address too.
        for name, text in (("Status", sentence), ("Url", "")):
            par = self.ownerComp.par[name]
            if par is not None and par.val != text:
                par.val = text

    def Restart(self) -> None:
        """Stop the server and start it with the parameters as they are now."""
        server = self._server()
        if server is None:
            self.Boot()
        else:
            server.apply(self._values())
            server.restart()

    def Stop(self, wait: float = 0.0) -> None:
        """Stop the server and free its port; wait for that at most `wait` seconds, at the end of the process."""
        server = self._server()
        if server is not None:
            server.stop(wait)

    def Changed(self, par: Any) -> None:
        """A custom parameter has a new value."""
        if par.name in READ_OUTS:
            return
        server = self._server()
        if server is None:
            self.Boot()
        else:
            server.apply(self._values(par))

    def Pulse(self, par: Any) -> None:
        """A custom pulse was pressed."""
        if par.name == "Restart":
            self.Restart()
            return
        if self._errand(par):
            return
        server = self._server()
        if server is None:
            self.Boot()
        elif par.name == "Newtoken":
            server.renew_key()
        elif par.name == "Approve":
            server.decide(approve=True)
        elif par.name == "Deny":
            server.decide(approve=False)
        elif par.name == "Forgetagents":
            server.forget_agents()
        elif par.name == "Opendashboard":
            server.open_dashboard()
        elif par.name == "Copykey":
            td.ui.clipboard = server.key
        elif par.name == "Copyconfig":
            td.ui.clipboard = server.client_config()

    def _errand(self, par: Any) -> bool:
        """Whether this pulse is one of those that need no running server; it is set going then."""
        if par.name not in ("Selftest", "Selftestall", "Dumpcatalogue", "Installclient", "Removeclient"):
            return False
        self.Boot()
        if "tdmcp_embedded.embed" not in sys.modules:
            # Status says why; there is nothing to run yet.
            return True
        if par.name in ("Selftest", "Selftestall", "Dumpcatalogue"):
            from tdmcp_embedded import self_test

            if par.name == "Dumpcatalogue":
                self_test.dump_catalogue(self.ownerComp, td)
            else:
                self_test.self_test(self.ownerComp, td, disturbing=par.name == "Selftestall")
        else:
            from tdmcp_embedded.clients import pulses

            work = pulses.install if par.name == "Installclient" else pulses.remove
            work(self.ownerComp, td, str(self.ownerComp.par.Client.eval()))
        return True

    def PumpStats(self) -> dict[str, Any]:
        """What the frame queue has counted, as plain values; empty while nothing runs."""
        server = self._server()
        return {} if server is None else server.stats()

    def State(self) -> dict[str, Any]:
        """What *Status* says and where the server answers, as plain values."""
        server = self._server()
        return {"state": "off", "sentence": ""} if server is None else server.status.as_dict()

    def _server(self) -> Any:
        embed = sys.modules.get("tdmcp_embedded.embed")
        return None if embed is None else embed.find(self.ownerComp)

    def _values(self, *pars: Any) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for par in pars or self.ownerComp.customPars:
            if par.style != "Pulse" and par.name not in READ_OUTS:
                try:
                    values[par.name] = par.eval()
                except Exception as broken:  # noqa: BLE001 - a broken expression raises anything on eval
                    # The server says which parameter it is. As text, since the exception may hold an operator.
                    values[par.name] = ValueError(f"{type(broken).__name__}: {broken}")
        return values


def refuse_old_build(td: Any) -> None:
    """See whether the libraries run on this build's Python.

    Raises:
        ImportError: they do not; with a sentence for the person in front of TouchDesigner.
    """
    build = str(getattr(td.app, "build", ""))
    year = build.partition(".")[0]
    # What cannot be read is no reason to refuse: the unpacking looks at the Python itself.
    if year.isdigit() and int(year) < OLDEST:
        raise ImportError(
            f"This component needs TouchDesigner {OLDEST} or newer, best 2025.30000 or newer; this is {build}."
        )


def unlink(component: Any) -> None:
    """Take away the link to the .tox file that TouchDesigner writes when one is dropped (fact 60).

    With it, the next opening of the project would bring back the settings of that file.
    """
    if not component.valid:
        return
    link = component.par["externaltox"]
    if link is not None and (link.expr or link.val):
        link.expr = ""
        link.val = ""
    for name in ("enableexternaltox", "reloadcustom"):
        par = component.par[name]
        if par is not None and par.val:
            par.val = False


def _sentence(error: Exception) -> str:
    """An exception for a person; an ImportError of ours is a sentence already."""
    if isinstance(error, ImportError):
        return str(error)
    return f"The server cannot start: {type(error).__name__}: {error}"
