"""Setting up MCP clients: writing this server into their configuration files, and taking it out again.

Needs neither the MCP SDK nor pydantic, so that the component and the dashboard can use it on any thread:

    from tdmcp_embedded.clients import setup
    setup.add("cursor", setup.Choice())

`catalogue` knows the clients, `json_text` and `toml_text` edit text without disturbing the rest of it, `files` replaces
a file safely and remembers how to undo that, `entries` understands what is there, `launch` says how the shim is started,
`installations` finds TouchDesigner.
"""
