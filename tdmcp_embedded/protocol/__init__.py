"""MCP: the SDK server built from the table of tools, and what maps between the two."""
