"""What the shim goes by: the contract it keeps, names of the protocol, and how long it waits for what."""

from __future__ import annotations

#: What this shim and a server agree on; a server writes its own number in its registry entry.
CONTRACT = 1
#: The oldest contract of a server that this shim still understands.
OLDEST_CONTRACT = 1
#: The oldest contract of a client's entry that this shim still understands.
OLDEST_ENTRY = 1
MODERN = ["2026-07-28"]
HANDSHAKE = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
SUBSCRIPTION_KEY = "io.modelcontextprotocol/subscriptionId"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
INSTANCE_KEY = "tdmcp/instance"
#: Seconds until the connection must stand.
CONNECT_TIMEOUT = 3.0
#: Seconds without a byte after which we ask whether the server is alive at all.
PATIENCE = 3.0
#: Seconds without any sign of life after which a call is given up.
GIVE_UP = 8.0
#: Seconds a list or a handshake may take before the last known one is given instead.
LIST_LIMIT = 3.0
HANDSHAKE_LIMIT = 1.0
#: Seconds a call waits for a server that was there a moment ago and is probably restarting.
RESTART_GAP = 1.5
#: Seconds that answers under way may take after the end of input; clients kill us after two.
FLUSH = 1.5
#: Tasks whose tools are remembered.
TASKS_KEPT = 64
#: Seconds a connection may lie idle and be used again: less than any server's keep-alive.
IDLE_CONNECTION = 20.0
#: Seconds between looks at the registry, and at whether the client is still there.
LOOK_EVERY = 1.0
#: Bytes that the head of an answer may have, and a whole answer or one event of a stream.
MOST_HEAD = 64 << 10
MOST_ANSWER = 32 << 20
#: Seconds until the head of an answer must have begun, however alive the server is; and until it must be complete then.
FIRST_ANSWER = 120.0
HEAD_LIMIT = 10.0
#: Seconds until an answer must be complete that is no stream.
ANSWER_LIMIT = 60.0
#: Seconds after which nobody can still be writing a part of a file.
ABANDONED = 60.0
MAX_REQUESTS = 256
MAX_LISTENS = 32
#: List method -> the key of its items, which is also their name in the cache.
LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
#: Method -> the parameter that the header `Mcp-Name` repeats.
NAMED = {
    "tools/call": "name",
    "prompts/get": "name",
    "resources/read": "uri",
    "tasks/get": "taskId",
    "tasks/update": "taskId",
    "tasks/cancel": "taskId",
}
#: Kind of change -> the field of a subscription filter that asks for it.
CHANGES = {"tools": "toolsListChanged", "prompts": "promptsListChanged", "resources": "resourcesListChanged"}
#: What hosts add to the arguments of every call; tdmcp_embedded/tools/host_arguments.py says which and why.
HOST_ARGUMENTS = {"toolCallId", "tool", "sessionId", "action", "chatInput", "random_string"}
