"""An MCP server that lives inside TouchDesigner.

Importing this package must stay cheap: it happens on TouchDesigner's main thread. Heavy imports (the MCP SDK,
pydantic, uvicorn) belong to the server thread.
"""

__version__ = "0.1.0"

#: Version of the contract between the stdio shim and the server. Raised only when one must change with the other.
CONTRACT = 1
#: The oldest contract of a shim that this server still understands; a shim below it refuses, and says what to update.
ACCEPTS = 1
