"""The component `tdmcp`: its custom parameters and its DATs. Everything TouchDesigner loads is made from this.

Each value parameter is one field of `tdmcp_embedded.settings.Settings`; the read-outs are written by the server.
Of the pulses, only those that do something exist.
"""

from __future__ import annotations

import json
from dataclasses import asdict

from td_component.model import SCRIPTS, Component, Dat, Page, Parameter, Range, Style

_LEVELS = (
    ("observe", "Observe (read only)"),
    ("edit", "Edit (no code)"),
    ("full", "Full (adds Python)"),
)

SERVER = Page(
    "Server",
    (
        Parameter(
            "Active", "Active", Style.TOGGLE, "Whether the server runs. Off ends it and frees its port.", True
        ),
        Parameter(
            "Status", "Status", Style.STR, "What the server is doing, or what is wrong.", "", read_only=True
        ),
        Parameter(
            "Url",
            "URL",
            Style.STR,
            "Where clients connect: the public address where one is set.",
            "",
            read_only=True,
        ),
        Parameter(
            "Address",
            "Address",
            Style.STR,
            "Network address to listen on. 127.0.0.1 is this machine only; other addresses need an access key.",
            "127.0.0.1",
            section=True,
        ),
        Parameter(
            "Port",
            "Port",
            Style.INT,
            "Port to listen on; 0 lets the system choose.",
            9988,
            Range(0, 65535, 9980, 9999),
        ),
        Parameter(
            "Portscan",
            "Port Scan",
            Style.INT,
            "How many following ports to try when the port is taken.",
            10,
            Range(0, 100, 0, 20),
        ),
        Parameter(
            "Instancename",
            "Instance Name",
            Style.STR,
            "A name by which clients tell this TouchDesigner from others; empty takes the project's name.",
            "",
        ),
        Parameter(
            "Toolset",
            "Toolset",
            Style.MENU,
            "Which tools clients see. Core is a small set for clients with little room.",
            "all",
            menu=(("all", "All"), ("core", "Core")),
        ),
        Parameter(
            "Announce",
            "Announce",
            Style.TOGGLE,
            "Whether gateways on the local network can find this server. Needs an Address that others reach.",
            False,
        ),
        Parameter(
            "Restart",
            "Restart",
            Style.PULSE,
            "Stop the server and start it again with the values shown here.",
            section=True,
        ),
        Parameter(
            "Opendashboard",
            "Open Dashboard",
            Style.PULSE,
            "Open the server's dashboard in the browser of this machine, with the access key.",
        ),
    ),
)

SECURITY = Page(
    "Security",
    (
        Parameter(
            "Requirekey",
            "Require Key",
            Style.TOGGLE,
            "Whether clients must show an access key, also on this machine. Leave it on.",
            True,
        ),
        Parameter(
            "Accesslevel",
            "Access Level",
            Style.MENU,
            "The most that any client may do, whatever its key allows.",
            "full",
            menu=_LEVELS,
        ),
        Parameter(
            "Performlevel",
            "Level in Perform Mode",
            Style.MENU,
            "The most that any client may do while TouchDesigner is in Perform mode.",
            "full",
            menu=_LEVELS,
        ),
        Parameter(
            "Pathsoutside",
            "Paths Outside Project",
            Style.TOGGLE,
            "Whether file arguments may leave the folder of the project.",
            False,
        ),
        Parameter(
            "Tlscertificate",
            "TLS Certificate",
            Style.FILE,
            "Certificate file (PEM) for HTTPS; empty serves plain HTTP.",
            "",
            section=True,
        ),
        Parameter("Tlskey", "TLS Key", Style.FILE, "Private key file (PEM) of the certificate.", ""),
        Parameter(
            "Publicaddress",
            "Public Address",
            Style.STR,
            "What a proxy or tunnel calls this server, like https://td.example.com. Require Key must be on then.",
            "",
        ),
        Parameter(
            "Oauth",
            "OAuth",
            Style.TOGGLE,
            "Whether remote agents may ask to be let in. Each needs an Approve here; on the network, HTTPS as well.",
            False,
            section=True,
        ),
        Parameter(
            "Oauthlevel",
            "OAuth Level",
            Style.MENU,
            "The most that a remote agent may do which was let in by OAuth.",
            "edit",
            menu=_LEVELS,
        ),
        Parameter(
            "Consent",
            "Consent",
            Style.STR,
            "The remote agent that waits to be let in. Its code must be the one in the browser.",
            "",
            read_only=True,
        ),
        Parameter("Approve", "Approve", Style.PULSE, "Let in the agent that Consent shows."),
        Parameter("Deny", "Deny", Style.PULSE, "Turn away the agent that Consent shows."),
        Parameter(
            "Forgetagents",
            "Forget Remote Agents",
            Style.PULSE,
            "Turn out every agent that was let in by OAuth; their tokens stop working at once.",
        ),
        Parameter(
            "Newtoken",
            "New Token",
            Style.PULSE,
            "Make a new access key. The old one stops working at once, so clients must be set up again.",
            section=True,
        ),
    ),
)

PERFORMANCE = Page(
    "Performance",
    (
        Parameter(
            "Budgetms",
            "Budget (ms per Frame)",
            Style.FLOAT,
            "Milliseconds of work for clients in one frame. More is quicker for clients, less is safer for a show.",
            4.0,
            Range(0.1, 100, 0.5, 16),
        ),
        Parameter(
            "Requestspersecond",
            "Requests per Second",
            Style.FLOAT,
            "The most requests let in per second; further ones wait, and fewer come in where they cost the frames much.",
            120.0,
            Range(1, None, 10, 240),
        ),
        Parameter(
            "Burst",
            "Burst",
            Style.INT,
            "Requests let in at once after a pause.",
            4,
            Range(1, None, 1, 16),
        ),
        Parameter(
            "Queuesize",
            "Queue Size",
            Style.INT,
            "Calls that may wait for the main thread; further ones are told that it is busy.",
            256,
            Range(1, None, 16, 512),
        ),
        Parameter(
            "Calldeadline",
            "Call Deadline (s)",
            Style.FLOAT,
            "Seconds after which a call is answered in any case.",
            30.0,
            Range(0.1, None, 1, 120),
            section=True,
        ),
        Parameter(
            "Pythonlimit",
            "Python Limit (s)",
            Style.FLOAT,
            "Seconds that a client's Python may take before it is broken off.",
            10.0,
            Range(0.1, None, 1, 60),
        ),
        Parameter(
            "Maxbodymb",
            "Largest Request (MB)",
            Style.FLOAT,
            "Largest request that is accepted, in megabytes.",
            8.0,
            Range(0.1, None, 1, 64),
        ),
    ),
)

_CLIENTS = (
    ("claude-desktop", "Claude Desktop"),
    ("claude-code", "Claude Code"),
    ("cursor", "Cursor"),
    ("vscode", "VS Code"),
    ("codex", "Codex"),
    ("windsurf", "Windsurf"),
    ("gemini", "Gemini CLI"),
    ("opencode", "OpenCode"),
)

CLIENTS = Page(
    "Clients",
    (
        Parameter(
            "Client",
            "Client",
            Style.MENU,
            "The client that the next two buttons set up.",
            "claude-desktop",
            menu=_CLIENTS,
        ),
        Parameter(
            "Installclient",
            "Install Client",
            Style.PULSE,
            "Enter this server in the configuration of that client. What is there is kept, and a copy of the file.",
        ),
        Parameter(
            "Removeclient",
            "Remove Client",
            Style.PULSE,
            "Take this server out of the configuration of that client again.",
        ),
        Parameter(
            "Clientresult",
            "Result",
            Style.STR,
            "What was done to the configuration of that client, and what is left to do.",
            "",
            read_only=True,
        ),
        Parameter(
            "Copyconfig",
            "Copy Client Config",
            Style.PULSE,
            "Copy a ready-made client configuration (JSON with address and access key) to the clipboard.",
            section=True,
        ),
        Parameter(
            "Copykey",
            "Copy Access Key",
            Style.PULSE,
            "Copy the access key to the clipboard. Whoever has it can use this server.",
        ),
    ),
)

ABOUT = Page(
    "About",
    (
        Parameter("Version", "Version", Style.STR, "Version of the running server.", "", read_only=True),
        Parameter(
            "Selftest",
            "Self Test",
            Style.PULSE,
            "Ask in a scratch component whether this TouchDesigner does what the server relies on, and write a report.",
            section=True,
        ),
        Parameter(
            "Selftestall",
            "Self Test (All)",
            Style.PULSE,
            "The same with the questions that empty the undo list and stop the timeline for some frames. For an empty "
            "project.",
        ),
        Parameter(
            "Dumpcatalogue",
            "Dump Catalogue",
            Style.PULSE,
            "Write down every operator type and parameter of this build of TouchDesigner.",
        ),
        Parameter(
            "Report",
            "Report",
            Style.STR,
            "How the last self test or dump went, and where its file is.",
            "",
            read_only=True,
        ),
    ),
)


def _parameters_script(pages: tuple[Page, ...]) -> str:
    """The text of `scripts/parameters.py` with the pages in it, so that the component can make its own parameters."""
    script = (SCRIPTS / "parameters.py").read_text(encoding="utf-8")
    # JSON in a raw string in triple single quotes, so it must hold none.
    text = json.dumps([asdict(page) for page in pages], ensure_ascii=True).replace("'", "\\u0027")
    return script.replace('"@PAGES@"', f"r'''{text}'''")


#: The extension's DAT is called like its class; the docked DATs sit below it, the log beside it.
TDMCP = Component(
    name="tdmcp",
    comment="MCP server: lets AI agents see, build and debug this project.",
    color=(0.22, 0.42, 0.5),
    extension="Tdmcp",
    pages=(SERVER, SECURITY, PERFORMANCE, CLIENTS, ABOUT),
    parameters=(
        ("ext0object", "op('./Tdmcp').module.Tdmcp(me)"),
        ("ext0name", "Tdmcp"),
        ("ext0promote", True),
        # Dropping a file links the component to it; the next opening of the project must not take the file's settings.
        ("enableexternaltox", False),
        ("reloadcustom", False),
    ),
    dats=(
        Dat("Tdmcp", "textDAT", 0, 0, script="extension.py", parameters=(("language", "python"),)),
        Dat(
            "parameters",
            "textDAT",
            320,
            0,
            body=_parameters_script((SERVER, SECURITY, PERFORMANCE, CLIENTS, ABOUT)),
            parameters=(("language", "python"),),
        ),
        Dat(
            "bootstrap",
            "textDAT",
            0,
            -130,
            script="bootstrap.py",
            parameters=(("language", "python"),),
            dock="Tdmcp",
        ),
        Dat(
            "lifecycle",
            "executeDAT",
            160,
            -130,
            script="lifecycle.py",
            parameters=(
                ("active", True),
                ("start", True),
                ("create", True),
                ("exit", True),
                ("framestart", True),
                ("playstatechange", True),
                ("language", "python"),
            ),
            dock="Tdmcp",
        ),
        Dat(
            "parameter_callbacks",
            "parameterexecuteDAT",
            320,
            -130,
            script="parameter_callbacks.py",
            parameters=(
                ("active", True),
                ("op", ".."),
                ("pars", "*"),
                ("valuechange", True),
                ("onpulse", True),
                ("custom", True),
                ("builtin", False),
                ("language", "python"),
            ),
            dock="Tdmcp",
        ),
        Dat("log", "tableDAT", 160, 0, table=(("time", "event", "level", "client", "key", "tool", "ms"),)),
    ),
)
