"""Extension of the component: boots its server once, passes parameters on to it, and lets go when it is destroyed.

TouchDesigner builds an extension lazily, and again whenever its source changes or the project is saved. So nothing
lives here: the server is kept by `tdmcp_embedded.embed`, which outlives this module.
"""

import sys
from typing import Any

import td  # type: ignore[import-not-found]  # only TouchDesigner has it

READ_OUTS = ("Status", "Url", "Version", "Consent", "Clientresult", "Report")
SECTIONS = (
    "Address",
    "Restart",
    "Tlscertificate",
    "Oauth",
    "Newtoken",
    "Calldeadline",
    "Copyconfig",
    "Selftest",
)
COMMENT = "MCP server: lets AI agents see, build and debug this project."
#: Seen once for each version of the full build.
UNPACKING = "Unpacking the server's libraries; this happens once for each version."


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
        """Start the server unless it is there already. On start, on create, and whenever something asks again."""
        self._dress()
        try:
            loaded = self.ownerComp.op("bootstrap").module.load(self.ownerComp, td)
        except ImportError as missing:
            self._say(str(missing))
            return
        if loaded is None:
            self._say(UNPACKING)
            return
        embed, notice = loaded
        if embed.find(self.ownerComp) is None:
            log = self.ownerComp.op("log")
            embed.start(self.ownerComp, td, self._values(), log=log, notice=notice)

    def _say(self, sentence: str) -> None:
        self.ownerComp.par.Status = sentence
        # What was saved with the component is of another time.
        self.ownerComp.par.Url = ""

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
        if par.name not in ("Selftest", "Dumpcatalogue", "Installclient", "Removeclient"):
            return False
        self.Boot()
        if "tdmcp_embedded.embed" not in sys.modules:
            # Status says why; there is nothing to run yet.
            return True
        if par.name in ("Selftest", "Dumpcatalogue"):
            from tdmcp_embedded import self_test

            (self_test.self_test if par.name == "Selftest" else self_test.dump_catalogue)(self.ownerComp, td)
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

    def _dress(self) -> None:
        """What a loaded file cannot say yet: read-only parameters, section starts, the comment."""
        if self.ownerComp.par[READ_OUTS[-1]].readOnly:
            return
        for name in READ_OUTS:
            self.ownerComp.par[name].readOnly = True
        for name in SECTIONS:
            self.ownerComp.par[name].startSection = True
        if not self.ownerComp.comment:
            self.ownerComp.comment = COMMENT
