"""The examination: each check looks at one subject and says what it found."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tdmcp_embedded import CONTRACT, instances, public_address
from tdmcp_embedded.clients import entries, installations, launch, remote, setup
from tdmcp_embedded.clients.catalogue import CLIENTS, ENTRY, KEY_VARIABLE
from tdmcp_embedded.clients.machine import Machine, Refused
from tdmcp_embedded.doctor import probe, shell
from tdmcp_embedded.file_modes import outside_profile, tighten
from tdmcp_embedded.files import read as read_json

#: The port a server takes unless told otherwise.
USUAL_PORT = 9988
OK, NOTE, PROBLEM = "ok", "note", "problem"


@dataclass(frozen=True)
class Finding:
    """One thing seen. `level` is ok, note or problem; `remedy` is a command or an act, for notes and problems."""

    level: str
    subject: str
    sentence: str
    remedy: str = ""

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


def examine(machine: Machine, folder: Path) -> Iterator[Finding]:
    """Look at everything, in the order in which a connection is made.

    Args:
        folder: the project folder whose client files are looked at besides the user's.
    """
    yield from registry(machine)
    yield from touchdesigner(machine)
    yield from components(machine)
    yield from remote_servers(machine)
    yield from keys(machine)
    yield from shim(machine)
    yield from clients(machine, folder)


def registry(machine: Machine) -> Iterator[Finding]:
    """Entries that crashed servers left behind; whoever looks through the registry, as the next checks do, removes them."""
    folder = machine.tdmcp / "instances"
    for path in _kept_out(folder):
        yield Finding(PROBLEM, "registry", f"This user may not read {path}: TouchDesigner probably ran as "
                      "administrator once, so that no client finds it.", _give_back(path, machine))  # fmt: skip
    entries_there = [facts for facts in map(read_json, _registered(folder)) if facts]
    elsewhere = [facts for facts in entries_there if instances.is_elsewhere(facts)]
    if elsewhere:
        names = ", ".join(sorted({str(facts.get("name") or facts.get("project")) for facts in elsewhere}))
        yield Finding(
            OK, "registry", f"Entries of other computers that share this home are left alone: {names}"
        )
    dead = [facts for facts in entries_there if not instances.is_elsewhere(facts) and not _alive(facts)]
    if dead:
        names = ", ".join(sorted({str(facts.get("project") or facts.get("pid")) for facts in dead}))
        instances.listing(folder)
        yield Finding(OK, "registry", f"Cleaned up after servers that crashed: {names}")


def touchdesigner(machine: Machine) -> Iterator[Finding]:
    """Installations, and which Python starts the shim."""
    found = installations.find(machine)
    for one in found:
        yield Finding(OK, "TouchDesigner", f"{one.path}{f' (build {one.build})' if one.build else ''}")
    if not found:
        known = [entry for entry in instances.listing(machine.tdmcp / "instances") if entry.get("python")]
        if not known:
            yield Finding(NOTE, "TouchDesigner", "No installation was found in the usual places.",
                          "Open a project with the component: a running TouchDesigner is found anywhere.")  # fmt: skip
    try:
        yield Finding(OK, "Python", f"The shim would be started by {launch.python(machine)}")
    except Refused as refusal:
        yield Finding(PROBLEM, "Python", refusal.message, refusal.hint)


def components(machine: Machine) -> Iterator[Finding]:
    """The servers of running components, and the usual port."""
    running = instances.listing(machine.tdmcp / "instances")
    if not running:
        # A machine whose clients use a TouchDesigner elsewhere needs none.
        level = NOTE if _remote_urls(machine) else PROBLEM
        yield Finding(level, "component", "No TouchDesigner with a running component was found.",
                      "Open the project, and switch the component's Active parameter on.")  # fmt: skip
    for entry in running:
        yield from _component(entry)
    names = [str(entry.get("name")) for entry in running if entry.get("name")]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Finding(NOTE, "component", f"{names.count(name)} components are called {name!r}.",
                      "Give each its own Instance Name (component, page Server).")  # fmt: skip
    ours = {str(entry.get("url")).partition("/mcp")[0].rpartition(":")[2] for entry in running}
    if str(USUAL_PORT) not in ours and probe.listens(USUAL_PORT):
        yield Finding(NOTE, "port", f"Port {USUAL_PORT} is taken by another program; the component uses a later one.",
                      "Set the component's Port, if clients are to reach it by a fixed URL.")  # fmt: skip


def _component(entry: dict[str, Any]) -> Iterator[Finding]:
    url, name = str(entry.get("url")), str(entry.get("name") or entry.get("project") or entry.get("pid"))
    who = f"{name} (pid {entry.get('pid')})"
    answer = probe.ask(url, str(entry.get("token") or ""), str(entry.get("instance_id") or ""),
                       str(entry.get("instance_secret") or ""))  # fmt: skip
    if answer.status in ("refused", "foreign", "silent", "wrong"):
        how = {
            "refused": "nobody listens there",
            "foreign": "another program answers there",
            "silent": "nothing comes back",
            "wrong": "that is no address",
        }[answer.status]
        yield Finding(PROBLEM, "component", f"{who} should serve at {url}, but {how}.",
                      "Pulse Restart on the component's page Server.")  # fmt: skip
        return
    if answer.status == "stalled":
        yield Finding(PROBLEM, "component", f"{who} answers, but its main thread makes no frames.",
                      "Look at TouchDesigner: a dialog may be open, or the power switched off.")  # fmt: skip
    else:
        yield Finding(OK, "component", f"{who} serves at {url}")
    if entry.get("token") and not answer.key_accepted and url.startswith("http:"):
        yield Finding(PROBLEM, "component", f"{who} refuses the access key in its own registry entry.",
                      "Pulse Restart on the component's page Server.")  # fmt: skip
    network = str(entry.get("network_url") or "")
    if network.startswith("https:"):
        fault = probe.tls_fault(network)
        if fault:
            yield Finding(NOTE if "does not accept" in fault else PROBLEM, "certificate", f"{network} {fault}.",
                          "Remote clients must trust the authority of the certificate (docs/remote.md).")  # fmt: skip
        else:
            yield Finding(OK, "certificate", f"{network} has a certificate that this machine accepts")
    public = str(entry.get("public") or "")
    if public:
        wrong = public_address.check(public, url.removesuffix("/mcp"))
        if wrong:
            yield Finding(PROBLEM, "public address", wrong,
                          "docs/remote.md has the lines for nginx, Caddy, cloudflared, ngrok and ssh.")  # fmt: skip
        else:
            yield Finding(OK, "public address", f"{public} leads to {who}")
    theirs = entry.get("contract")
    if isinstance(theirs, int) and theirs != CONTRACT:
        older = theirs < CONTRACT
        yield Finding(NOTE, "component", f"{who} is {'older' if older else 'newer'} than this program.",
                      "Replace the component with the current tdmcp.tox." if older
                      else "pip install --upgrade tdmcp-embedded")  # fmt: skip


def remote_servers(machine: Machine) -> Iterator[Finding]:
    """Servers on other machines that clients here are set up for. No key is shown to them."""
    for url in _remote_urls(machine):
        fault = probe.tls_fault(url) if url.startswith("https:") else ""
        if fault:
            yield Finding(PROBLEM, "remote server", f"{url} {fault}.",
                          "docs/remote.md says how each client trusts a private authority.")  # fmt: skip
            continue
        answer = probe.ask(url)
        if answer.status == "ok":
            yield Finding(OK, "remote server", f"{url} answers")
        elif answer.status in ("stalled", "starting"):
            yield Finding(NOTE, "remote server", f"{url} answers, but TouchDesigner there makes no frames.",
                          "Look at TouchDesigner there: a dialog may be open, or it is loading.")  # fmt: skip
        else:
            how = {"refused": "nobody listens there", "silent": "nothing comes back"}
            yield Finding(PROBLEM, "remote server", f"{url}: {how.get(answer.status, 'another program answers there')}.",
                          "Run tdmcp doctor on the machine of TouchDesigner: it checks its Public Address.")  # fmt: skip


def _remote_urls(machine: Machine) -> list[str]:
    """The addresses on other machines that entries of clients lead to."""
    known, used = remote.known(machine), set()
    for name in CLIENTS:
        entry = setup.status(name, setup.Choice(), machine).entry or {}
        used |= {entries.address_of(entry), *entries.command_of(entry)}
    return [url for url in known if url in used]


def keys(machine: Machine) -> Iterator[Finding]:
    """The access keys of this user, and variables that stand in for them."""
    path = machine.tdmcp / "keys.json"
    away = outside_profile(str(machine.tdmcp), str(machine.home), system=machine.system)
    if away and path.exists():
        yield Finding(
            NOTE,
            "keys",
            away.partition(": ")[0] + ".",
            "Set TDMCP_HOME to a folder of your profile, or to nothing.",
        )
    if path.exists():
        loose = os.name == "posix" and bool(stat.S_IMODE(path.stat().st_mode) & 0o077)
        try:
            tighten(path)
        except OSError as error:
            yield Finding(PROBLEM, "keys", str(error), "Then pulse Restart on the component's page Server.")
            return
        found = entries.keys(machine)
        if not found:
            yield Finding(PROBLEM, "keys", f"{path} holds no keys, or is broken.",
                          "Pulse New Token (component, page Security).")  # fmt: skip
        else:
            yield Finding(OK, "keys", f"{len(found)} access keys in {path}" if len(found) > 1
                          else f"1 access key in {path}")  # fmt: skip
        past = [
            key
            for key in found
            if isinstance(key.get("expires"), int | float) and key["expires"] <= time.time()
        ]
        for key in past:
            yield Finding(
                NOTE, "keys", f"The key {key.get('name')!r} has expired.", "Revoke it, or make a new one."
            )
        if loose and not stat.S_IMODE(path.stat().st_mode) & 0o077:
            yield Finding(PROBLEM, "keys", f"Others on this computer could read {path} until now; it is closed to them.",
                          "If somebody may have read a key, pulse New Token (component, page Security).")  # fmt: skip
        elif loose:
            yield Finding(NOTE, "keys", f"Others on this computer may be able to read {path}: its file system has no modes.",
                          "Set TDMCP_HOME to a folder on a disk that has them.")  # fmt: skip
    for variable in ("TDMCP_URL", KEY_VARIABLE):
        if machine.env.get(variable):
            yield Finding(NOTE, "environment", f"{variable} is set here, and stands above the registry.",
                          f"{shell.unset(variable, machine.system)}, unless you mean it")  # fmt: skip


def shim(machine: Machine) -> Iterator[Finding]:
    """The copy of the shim that client entries start."""
    path = launch.shim_file(machine)
    if not path.exists():
        return
    theirs, users = launch.contract_of(path), _users(machine)
    remedy = f"tdmcp client add {users[0] if users else next(iter(CLIENTS))}"
    if theirs is None:
        yield Finding(PROBLEM, "shim", f"The copy at {path} is broken.", remedy)
    elif launch.too_old(theirs):
        yield Finding(PROBLEM, "shim", f"The copy at {path} is too old (contract {theirs}).", remedy)
    elif theirs < CONTRACT:
        yield Finding(NOTE, "shim", f"The copy at {path} is older (contract {theirs} of {CONTRACT}).", remedy)
    else:
        yield Finding(OK, "shim", f"{path} fits (contract {theirs})")


def clients(machine: Machine, folder: Path) -> Iterator[Finding]:
    """The entries in every client's configuration: broken, stale and double ones."""
    set_up = 0
    seen: set[Path] = set()
    for row in CLIENTS.values():
        for scope in row.scopes:
            found = setup.status(row.name, setup.Choice(scope=scope, folder=folder), machine)
            if found.path in seen:
                continue  # in the home folder, some clients' user file is also that of the "project"
            seen.add(found.path)
            where = " --scope project" if scope == "project" else ""
            set_up += found.entry is not None
            if found.state == "current":
                yield Finding(OK, row.title, found.sentence)
            elif found.state == "broken":
                yield Finding(PROBLEM, row.title, found.sentence, f"Mend {found.path} in a text editor.")
            elif found.state == "differs":
                yield Finding(
                    PROBLEM,
                    row.title,
                    found.sentence,
                    f"tdmcp client add {row.name}{where}{_over(found, machine.system)}",
                )
            elif found.installed and scope == "user":
                yield Finding(NOTE, row.title, "It is here, but not set up.", f"tdmcp client add {row.name}")
            if found.others:
                double = ", ".join(found.others)
                yield Finding(
                    PROBLEM if found.entry is not None or len(found.others) > 1 else NOTE,
                    row.title,
                    f"{found.path} starts this server under other names, too: {double}.",
                    f"Delete {double} from {found.path}.",
                )
    extension = _extension(machine)
    desktop = setup.status("claude-desktop", setup.Choice(), machine)
    if extension is not None:
        set_up += 1
        if desktop.entry is not None:
            yield Finding(PROBLEM, "Claude Desktop", f"It has this server twice: as an extension and as {ENTRY}.",
                          "tdmcp client remove claude-desktop")  # fmt: skip
        else:
            yield Finding(OK, "Claude Desktop", f"Set up by the extension in {extension}")
    if not set_up:
        yield Finding(
            PROBLEM, "clients", "No client is set up.", "tdmcp client add NAME, e.g. claude-desktop"
        )


def _users(machine: Machine) -> list[str]:
    """The clients that start the shim."""
    found = (setup.status(name, setup.Choice(), machine) for name in CLIENTS)
    return [one.client.name for one in found if one.entry and not entries.address_of(one.entry)]


def _over(found: setup.Status, system: str) -> str:
    """The options that the entry was written with."""
    entry = found.entry or {}
    if entries.address_of(entry):
        return " --transport http"
    words = entries.command_of(entry)
    instance = words[words.index("--instance") + 1 :][:1] if "--instance" in words else []
    options = "".join(f" --instance {shell.quoted(word, system)}" for word in instance)
    if "--url" in words:
        options += f" --url {shell.quoted(words[words.index('--url') + 1], system)} --token KEY"
    return options + (" --allow-open" if "--allow-open" in words else "")


def _extension(machine: Machine) -> Path | None:
    """Our bundle, installed in Claude Desktop."""
    try:
        base = CLIENTS["claude-desktop"].file(machine, "user", Path()).parent
        manifests = sorted(base.glob("Claude Extensions/*/manifest.json"))
    except (OSError, Refused):
        return None
    return next((m.parent for m in manifests if (read_json(m) or {}).get("name") == "tdmcp-embedded"), None)


def _kept_out(registry: Path) -> list[Path]:
    """The folder of the registry, or entries in it, that are there and may not be read."""
    try:
        names = os.listdir(registry)
    except PermissionError:
        return [registry]
    except OSError:
        return []
    found = []
    for name in sorted(names):
        try:
            if name.endswith(".json"):
                (registry / name).open("rb").close()
        except PermissionError:
            found.append(registry / name)
        except OSError:
            pass  # removed meanwhile
    return found


def _give_back(path: Path, machine: Machine) -> str:
    if machine.system == "win32":
        return f'icacls "{path}" /reset /T   (in a prompt opened as administrator)'
    return f"sudo chown -R $(id -u) {shell.quoted(str(path), machine.system)}"


def _registered(registry: Path) -> list[Path]:
    try:
        return sorted(registry.glob("*.json"))
    except OSError:
        return []


def _alive(facts: dict[str, Any]) -> bool:
    return not isinstance(facts.get("pid"), int) or instances.alive(facts)
