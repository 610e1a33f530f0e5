"""A client on the Python SDK, 1.x or 2.x, that signs in, driven line by line as `oauth_bridge.mjs` is. Runs as a script.

python oauth_python.py URL CALLBACK
"""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import AsyncExitStack
from typing import Any

from mcp.client import auth, streamable_http
from mcp.shared.auth import OAuthClientMetadata

URL, CALLBACK = sys.argv[1:3]
IS_V2 = hasattr(__import__("mcp"), "Client")


def say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


async def following() -> dict[str, Any] | None:
    line = await asyncio.to_thread(sys.stdin.readline)
    found: dict[str, Any] | None = json.loads(line) if line else None
    return found


class Memory:
    """What the client remembers."""

    tokens: Any = None
    client: Any = None

    async def get_tokens(self) -> Any:
        return self.tokens

    async def set_tokens(self, tokens: Any) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> Any:
        return self.client

    async def set_client_info(self, client_info: Any) -> None:
        self.client = client_info


async def opened(address: str) -> None:
    say({"open": address})


async def back() -> Any:
    answer = await following()
    given = answer["back"] if answer else None
    if not given:
        raise RuntimeError("asks to sign in again")
    if IS_V2:
        from mcp.shared.auth import AuthorizationCodeResult

        return AuthorizationCodeResult(code=given["code"], state=given.get("state"), iss=given.get("iss"))
    return given["code"], given.get("state")


PROVIDER = auth.OAuthClientProvider(
    server_url=URL,
    client_metadata=OAuthClientMetadata(
        client_name=f"Python SDK {2 if IS_V2 else 1}",
        redirect_uris=[CALLBACK],
        token_endpoint_auth_method="none",
    ),
    storage=Memory(),
    redirect_handler=opened,
    callback_handler=back,
)


async def once(tool: str, arguments: dict[str, Any]) -> Any:
    """One call on a connection of its own; the tokens stay."""
    async with AsyncExitStack() as stack:
        if IS_V2:
            import httpx2
            from mcp import Client

            web = await stack.enter_async_context(httpx2.AsyncClient(auth=PROVIDER, timeout=60))
            client = await stack.enter_async_context(
                Client(streamable_http.streamable_http_client(URL, http_client=web))
            )
        else:
            from mcp import ClientSession

            streams = await stack.enter_async_context(
                streamable_http.streamablehttp_client(URL, auth=PROVIDER)
            )
            client = await stack.enter_async_context(ClientSession(streams[0], streams[1]))
            await client.initialize()
        result = await client.call_tool(tool, arguments)
        return result.model_dump(mode="json", by_alias=True)


def words(error: BaseException) -> str:
    """The innermost reason."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"[:400]


async def main() -> None:
    while command := await following():
        try:
            if command["do"] == "connect":
                await once("get_status", {})
                say({"result": {}})
            elif command["do"] == "expire":
                PROVIDER.context.token_expiry_time = 1.0
                say({"result": {}})
            else:
                say({"result": await once(command["tool"], command["arguments"])})
        except Exception as error:  # noqa: BLE001 - whatever it raises is the finding
            say({"error": words(error)})


asyncio.run(main())
