"""Adding this server to a client, taking it out, and seeing what is there."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tdmcp_embedded import instances
from tdmcp_embedded.clients import entries, files, json_text, jsonc, launch, links, remote, toml_text
from tdmcp_embedded.clients.catalogue import (
    CLIENTS,
    ENTRY,
    KEY_VARIABLE,
    SECOND_ENTRY,
    USUAL_URL,
    Client,
    Http,
    Stdio,
    client,
)
from tdmcp_embedded.clients.machine import Machine, Refused

OTHER = "other"


@dataclass(frozen=True)
class Choice:
    """How a client is to reach TouchDesigner.

    `transport` is "auto" (stdio, which survives changes of port and key, and keeps the key out of the file), "stdio" or
    "http". `scope` is "user" or "project", `folder` the project's. `instance` names one of several TouchDesigners.
    `python` starts the shim; empty finds TouchDesigner's. `allow_open` lets the agent start TouchDesigner with projects
    that were open before. `url` is a server elsewhere (or "public", see `remote.address`), `token` a key for it; without
    one the client signs in (OAuth).
    """

    transport: str = "auto"
    scope: str = "user"
    folder: Path = field(default_factory=Path.cwd)
    instance: str = ""
    python: str = ""
    allow_open: bool = False
    url: str = ""
    token: str = field(default="", repr=False)


@dataclass
class Outcome:
    """What `add` or `remove` did: `sentences` say it, `difference` shows it (keys hidden)."""

    client: Client
    path: Path
    changed: bool
    sentences: list[str]
    difference: str = ""
    backup: Path | None = None


@dataclass
class Status:
    """What a client's file of one scope has. `state` is absent, current, differs or broken."""

    client: Client
    scope: str
    path: Path
    state: str
    sentence: str
    installed: bool
    """Whether the client seems to be on this computer."""
    entry: dict[str, Any] | None = None
    others: list[str] = field(default_factory=list)
    """Further entries that start this server under other names: agents then see every tool twice."""


def add(name: str, choice: Choice, machine: Machine | None = None, *, dry_run: bool = False) -> Outcome:
    """Write our entry into a client's configuration; doing it again changes nothing.

    Raises:
        Refused: the client or its scope is unknown, cannot do this, or its file is broken or cannot be written.
    """
    machine = machine or Machine()
    row = client(name)
    path, *more = row.files(machine, choice.scope, choice.folder)
    server = _server(row, choice, machine)
    entry = row.write(server)
    with_key = bool(server.key if isinstance(server, Http) else server.environment.get(KEY_VARIABLE))
    for one in (path, *more):
        _servers(row, one)  # refused before anything is changed
    if choice.url and not dry_run:
        remote.remember(machine, remote.address(choice.url, machine))
    name = _entry_name(row, path, machine)
    if isinstance(server, Stdio) and not dry_run:
        launch.install_shim(machine)
    # A new file beside one that is there hides it, so it begins as that one.
    usual = next((text for text in map(files.read, more) if text), "")

    def put(place: Path, name: str, before: str) -> files.Change:
        return files.edit(
            place,
            lambda text: _put(row, place, text or before, name, entry),
            journal=machine.tdmcp / "clients.json",
            private=with_key,
            dry_run=dry_run,
        )

    change = put(path, name, usual)
    outcome = Outcome(row, change.path, change.changed, [], _difference(change), change.backup)
    say = outcome.sentences.append
    changes = [change, *(put(place, _entry_name(row, place, machine), "") for place in more)]
    outcome.changed = any(one.changed for one in changes)
    places = " and ".join(str(one.path) for one in changes if one.changed is outcome.changed)
    if not outcome.changed:
        say(f"{row.title} has this entry already: {places}")
    else:
        say(f"{'Would add' if dry_run else 'Added'} {name} to {row.title}: {places}")
    if name != ENTRY:
        say(f"Another server is called {ENTRY} there, and was left as it is; this one is called {name}.")
    if change.backup is not None:
        say(f"The file as it was: {change.backup}")
    if isinstance(server, Http) and server.signs_in:
        say(f"No key is in it: the client signs in (OAuth), and you approve. URL: {server.url}")
    elif isinstance(server, Http):
        say(
            f"The file holds the access key; after New Token, run this again. URL: {server.url}"
            if server.key
            else f"The entry takes the access key from the variable {KEY_VARIABLE}, which the client must see. "
            f"URL: {server.url}"
        )
    if choice.scope == "project" and isinstance(server, Stdio):
        say("The entry names paths of this computer: other people on the project add their own.")
    outcome.sentences += _packages(change.path, machine)
    if not _installed(row, machine):
        say(f"{row.title} does not seem to be installed here.")
    if outcome.changed and not dry_run:
        say(row.restart)
    return outcome


def remove(name: str, choice: Choice, machine: Machine | None = None, *, dry_run: bool = False) -> Outcome:
    """Take our entry out again. A file that nobody has changed since becomes what it was, byte for byte.

    Raises:
        Refused: as for `add`.
    """
    machine = machine or Machine()
    row = client(name)
    places = row.files(machine, choice.scope, choice.folder)
    for place in places:
        _servers(row, place)  # refused before anything is changed
    outcomes = [_removed(row, place, machine, dry_run) for place in places]
    changed = [one for one in outcomes if one.changed] or outcomes[:1]
    changed[0].sentences = [sentence for one in changed for sentence in one.sentences]
    return changed[0]


def _removed(row: Client, path: Path, machine: Machine, dry_run: bool) -> Outcome:
    name = _entry_name(row, path, machine)
    change = files.edit(
        path,
        lambda text: _take(row, path, text, name),
        journal=machine.tdmcp / "clients.json",
        undo=True,
        dry_run=dry_run,
    )
    outcome = Outcome(row, change.path, change.changed, [], _difference(change), change.backup)
    if not change.changed:
        outcome.sentences.append(f"{row.title} has no entry {name}: {change.path}")
        return outcome
    done = "Would remove" if dry_run else "Removed"
    tail = ", which is what it was before." if change.restored and change.after is not None else "."
    tail = ", and the file, which had been made for it." if change.after is None else tail
    outcome.sentences.append(f"{done} {name} from {row.title}: {change.path}{tail}")
    if change.backup is not None:
        outcome.sentences.append(f"The file as it was: {change.backup}")
    return outcome


def status(name: str, choice: Choice, machine: Machine | None = None) -> Status:
    """What is in a client's file of the chosen scope. Does not raise for broken files: that is a state.

    Raises:
        Refused: the client or its scope is unknown.
    """
    machine = machine or Machine()
    row = client(name)
    found = [
        _status_of(row, place, choice.scope, machine)
        for place in row.files(machine, choice.scope, choice.folder)
    ]
    # Which of several places is read nobody knows: the one that needs something done counts.
    return max(found, key=lambda one: ("current", "absent", "differs", "broken").index(one.state))


def _status_of(row: Client, path: Path, scope: str, machine: Machine) -> Status:
    installed = _installed(row, machine)
    try:
        servers = _servers(row, path)
    except Refused as refusal:
        return Status(row, scope, path, "broken", refusal.message, installed)
    ours = _entry_name(row, path, machine)
    entry = servers.get(ours)
    others = [name for name, other in servers.items() if name != ours and entries.starts_us(other, machine)]
    if entry is None:
        return Status(row, scope, path, "absent", f"No entry in {path}", installed, None, others)
    if not isinstance(entry, dict):
        sentence = f"{ours} in {path} is not an object"
        return Status(row, scope, path, "differs", sentence, installed, {}, others)
    problems = list(entries.problems(entry, machine))
    state = "differs" if problems else "current"
    how = "over HTTP" if entries.address_of(entry) else "through the shim"
    sentence = " ".join(problems) or f"Set up {how} in {path}"
    return Status(row, scope, path, state, sentence, installed, entry, others)


def text(name: str, choice: Choice, machine: Machine | None = None) -> str:
    """What a person would paste into a client's configuration; for `other`, both ways in words.

    Raises:
        Refused: as for `add`.
    """
    machine = machine or Machine()
    if name == OTHER:
        return _other(choice, machine)
    row = client(name)
    path = row.file(machine, choice.scope, choice.folder)
    entry = row.write(_server(row, choice, machine))
    if row.kind == "toml":
        return f"# {path}\n{toml_text.put('', (*row.container, ENTRY), entry)}"
    shown = f"// {path}\n{json_text.put('', (*row.container, ENTRY), entry)}"
    link = links.link(row.name, entry)
    return f"{shown.rstrip()}\n\n// Or open this link:\n{link}" if link else shown


def _server(row: Client, choice: Choice, machine: Machine) -> Stdio | Http:
    if choice.transport not in ("auto", "stdio", "http"):
        raise Refused(f"{choice.transport!r} is no transport.", "There are auto, stdio and http.")
    if choice.token and not choice.url:
        raise Refused("--token is a key for the server of --url.", "Give --url as well, or leave both out.")
    if choice.url:
        return _elsewhere(row, choice, machine)
    if choice.transport != "http":
        return _shim(choice, machine)
    if not row.http:
        raise Refused(
            f"{row.title} cannot reach a server at a local URL.", "Leave --transport out: it uses the shim."
        )
    # A project's file is shared, often in public: no key in it.
    return _address(choice, machine, with_key=choice.scope == "user")


def _elsewhere(row: Client, choice: Choice, machine: Machine) -> Stdio | Http:
    """A server on another machine: over HTTP where the client can, else through the shim."""
    url = remote.address(choice.url, machine)
    if choice.instance or choice.allow_open:
        raise Refused("--instance and --allow-open are for this machine.", "Leave them out beside --url.")
    # A project's file is shared, often in public: no key in it.
    key = choice.token if choice.scope == "user" else ""
    if choice.transport == "http" or (choice.transport == "auto" and row.http):
        if not row.http:
            raise Refused(f"{row.title} takes no URL in its configuration.", _CONNECTOR)
        return Http(url, key, signs_in=not choice.token)
    if not choice.token:
        raise Refused(f"{row.title} needs a key here, since the shim does not sign in (OAuth).", _CONNECTOR)
    return launch.command(machine, interpreter=choice.python, url=url, key=key)


#: What else there is for clients that take no URL.
_CONNECTOR = (
    "Give --token KEY, of `tdmcp key add NAME --level edit --anywhere` on that machine; or add the URL in the client's own "
    "settings (Claude: Settings, Connectors)."
)


def _shim(choice: Choice, machine: Machine) -> Stdio:
    return launch.command(
        machine, interpreter=choice.python, instance=choice.instance, allow_open=choice.allow_open
    )


def _address(choice: Choice, machine: Machine, *, with_key: bool) -> Http:
    running = instances.listing(machine.tdmcp / "instances")
    if choice.instance:
        word = choice.instance.casefold()
        named = [
            one
            for one in running
            if word in {str(one.get(k, "")).casefold() for k in ("name", "pid", "component")}
        ]
        if not named:
            names = ", ".join(str(one.get("name") or one.get("pid")) for one in running) or "none"
            raise Refused(f"No running TouchDesigner is called {choice.instance!r}.", f"Running: {names}.")
        running = named
    if len(running) > 1:
        names = ", ".join(str(one.get("name") or one.get("pid")) for one in running)
        raise Refused(f"{len(running)} TouchDesigners are running.", f"Say which with --instance: {names}.")
    url = str(running[0]["url"]) if running else USUAL_URL
    key = next((str(one["token"]) for one in [*running, *entries.keys(machine)] if one.get("token")), "")
    if with_key and not key:
        raise Refused(
            "There is no access key yet: the server has never run for this user.",
            "Open a project with the component once, then try again; or leave --transport out.",
        )
    return Http(url, key if with_key else "")


def _put(row: Client, path: Path, text: str, name: str, entry: dict[str, Any]) -> str:
    try:
        if row.kind == "toml":
            return toml_text.put(text, (*row.container, name), entry)
        container = row.path_in(jsonc.parse(text, **_kind(row)).value) if text.strip() else row.container
        return json_text.put(text, (*container, name), entry, **_kind(row))
    except jsonc.Broken as broken:
        raise _refused(path, broken) from None


def _take(row: Client, path: Path, text: str, name: str) -> str:
    try:
        if row.kind == "toml":
            return toml_text.take(text, (*row.container, name))
        if not text.strip():
            return text
        container = row.path_in(jsonc.parse(text, **_kind(row)).value)
        return json_text.take(text, (*container, name), **_kind(row))
    except jsonc.Broken as broken:
        raise _refused(path, broken) from None


def _servers(row: Client, path: Path) -> dict[str, Any]:
    text = files.read(path)
    if text is None or not text.strip():
        return {}
    try:
        document = toml_text.parse(text) if row.kind == "toml" else jsonc.parse(text, **_kind(row)).value
    except jsonc.Broken as broken:
        raise _refused(path, broken) from None
    servers = toml_text.get(document, row.path_in(document)) if isinstance(document, dict) else None
    return servers if isinstance(servers, dict) else {}


def _entry_name(row: Client, path: Path, machine: Machine) -> str:
    """What our entry is called in a file: never the name of an entry that is not ours."""
    try:
        servers = _servers(row, path)
    except Refused:
        return ENTRY  # whoever edits the file says why not
    ours = [name for name in (ENTRY, SECOND_ENTRY) if entries.is_ours(servers.get(name), machine)]
    free = [name for name in (ENTRY, SECOND_ENTRY) if name not in servers]
    found = [*ours, *free]
    if not found:
        raise Refused(
            f"{path} has other servers called {ENTRY} and {SECOND_ENTRY}.",
            "Rename one of them; nothing was changed.",
        )
    return found[0]


def _kind(row: Client) -> dict[str, bool]:
    loose = row.kind == "jsonc"
    return {"comments": loose, "trailing_commas": loose}


def _refused(path: Path, broken: jsonc.Broken) -> Refused:
    return Refused(
        f"{path} is broken at line {broken.line}, column {broken.column}: {broken.message}.",
        "Mend it in a text editor; nothing was changed.",
    )


def _installed(row: Client, machine: Machine) -> bool:
    if row.name == "claude-code":
        return row.file(machine, "user", Path()).exists() or (machine.home / ".claude").is_dir()
    return any(place.parent.is_dir() for place in row.user(machine))


def _packages(path: Path, machine: Machine) -> list[str]:
    """What is to be known where Windows keeps a packaged program's AppData apart from everybody else's."""
    found = machine.package_of(path)
    if found:
        return [f"That is the private copy of the packaged program {found}; others do not see it."]
    if machine.in_package and machine.is_redirected(path):
        sentence = (
            "This command runs inside a packaged program (a client's own terminal): Windows writes below AppData to the "
            "private copy of that program, where other clients do not look. Run it in a terminal of your own instead."
        )
        return [sentence]
    return []


def _difference(change: files.Change) -> str:
    before, after = (change.before or "").splitlines(), (change.after or "").splitlines()
    lines = difflib.unified_diff(before, after, "before", "after", lineterm="", n=2)
    return re.sub(r"(Bearer )[^\s\"'$]+", r"\1<key>", "\n".join(lines))


def _other(choice: Choice, machine: Machine) -> str:
    if choice.url:
        return _other_elsewhere(choice, machine)
    stdio = _shim(choice, machine)
    try:
        http = _address(choice, machine, with_key=choice.transport == "http")
    except Refused as refusal:
        http = Http(USUAL_URL)
        note = f"({refusal.message})\n"
    else:
        note = ""
    over_stdio, over_http = _common_forms(stdio, http)
    hidden = (
        ""
        if http.key
        else f"Put the access key (component, page Clients, Copy Access Key) in {KEY_VARIABLE}.\n"
    )
    return (
        "A client that starts servers by a command (stdio) needs this; most read it in this form:\n\n"
        f"{over_stdio}\n\nA client that takes a URL (Streamable HTTP) needs this:\n\n{over_http}\n\n{note}{hidden}"
    )


def _common_forms(stdio: Stdio, http: Http) -> tuple[str, str]:
    """Both ways as most clients write them."""
    over_stdio = {"mcpServers": {ENTRY: CLIENTS["cursor"].write(stdio)}}
    over_http = {"mcpServers": {ENTRY: CLIENTS["claude-code"].write(http)}}
    return json.dumps(over_stdio, indent=2, ensure_ascii=False), json.dumps(over_http, indent=2)


def _other_elsewhere(choice: Choice, machine: Machine) -> str:
    url = remote.address(choice.url, machine)
    stdio = launch.command(machine, interpreter=choice.python, url=url, key=choice.token)
    over_stdio, over_http = _common_forms(stdio, Http(url, choice.token, signs_in=not choice.token))
    takes_url = f"A client that takes a URL (Streamable HTTP) needs this:\n\n{over_http}\n"
    if not choice.token:
        return f"{takes_url}\nIt signs in (OAuth). Give --token KEY for one that cannot.\n"
    return f"{takes_url}\nA client that starts servers by a command (stdio) needs this:\n\n{over_stdio}\n"
