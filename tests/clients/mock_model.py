"""A model on loopback that follows a script: it calls tools of the stand-in, and keeps what an agent sends back.

It speaks the APIs of the agents' vendors just far enough for that.
"""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.clients.tries import AFTERWARDS, CAPTURE, FOUND, WRONG, Restart

STEPS = (CAPTURE, WRONG, AFTERWARDS)
_LAST_WORDS = "Done."


@dataclass
class ToolAnswer:
    """What an agent lets its model see of a tool's answer."""

    text: str = ""
    pictures: list[str] = field(default_factory=list)

    def take(self, value: Any) -> None:
        """Collect texts and pictures, wherever they are."""
        if isinstance(value, str):
            self.text += value
        elif isinstance(value, list):
            for each in value:
                self.take(each)
        elif isinstance(value, dict):
            data = value.get("data") or value.get("image_url")
            if isinstance(data, str):
                self.pictures.append(data)
                return
            for key, each in value.items():
                if key not in ("type", "tool_use_id", "call_id", "id", "name", "mimeType", "media_type"):
                    self.take(each)


class Dialect(ABC):
    """The API of one vendor."""

    @abstractmethod
    def tools(self, request: dict[str, Any]) -> list[str]:
        """Full names of the tools in a request."""

    @abstractmethod
    def answers(self, request: dict[str, Any]) -> list[ToolAnswer]:
        """The tools' answers in a request, in the order of the calls."""

    @abstractmethod
    def call(self, step: int, tool: str, arguments: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The events of an answer that calls a tool."""

    @abstractmethod
    def say(self, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The events of an answer in words."""

    def whole(self, events: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        """An answer that is not streamed."""
        return events[-1][1]


class Anthropic(Dialect):
    def tools(self, request: dict[str, Any]) -> list[str]:
        return [str(tool["name"]) for tool in request.get("tools") or []]

    def answers(self, request: dict[str, Any]) -> list[ToolAnswer]:
        found = []
        for message in request.get("messages") or []:
            for block in message["content"] if isinstance(message["content"], list) else []:
                if block.get("type") == "tool_result":
                    answer = ToolAnswer()
                    answer.take(block.get("content"))
                    found.append(answer)
        return found

    def call(self, step: int, tool: str, arguments: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        block = {"type": "tool_use", "id": f"toolu_{step}", "name": tool, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        yield from self._message(block, delta, "tool_use")

    def say(self, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
        yield from self._message(
            {"type": "text", "text": ""}, {"type": "text_delta", "text": text}, "end_turn"
        )

    def whole(self, events: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        message = dict(events[0][1]["message"])
        text = "".join(
            event["delta"].get("text", "") for name, event in events if name == "content_block_delta"
        )
        return {**message, "content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}

    def _message(
        self, block: dict[str, Any], delta: dict[str, Any], reason: str
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "mock", "content": [], "stop_reason": None,
            "stop_sequence": None, "usage": usage,
        }  # fmt: skip
        for event in (
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {
                "type": "message_delta",
                "delta": {"stop_reason": reason, "stop_sequence": None},
                "usage": usage,
            },
            {"type": "message_stop"},
        ):
            yield str(event["type"]), event


class Responses(Dialect):
    """OpenAI's Responses API. Tools may come in namespaces, one for each MCP server."""

    def tools(self, request: dict[str, Any]) -> list[str]:
        found = []
        for tool in request.get("tools") or []:
            if tool.get("type") == "namespace":
                found += [f"{tool['name']}\n{each['name']}" for each in tool.get("tools") or []]
            elif "name" in tool:
                found.append(str(tool["name"]))
        return found

    def answers(self, request: dict[str, Any]) -> list[ToolAnswer]:
        found = []
        for item in request.get("input") or []:
            if item.get("type") == "function_call_output":
                answer = ToolAnswer()
                answer.take(item.get("output"))
                found.append(answer)
        return found

    def call(self, step: int, tool: str, arguments: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        namespace, _, name = tool.rpartition("\n")
        item = {
            "type": "function_call", "id": f"fc_{step}", "call_id": f"call_{step}", "name": name,
            "arguments": json.dumps(arguments), "status": "completed",
        }  # fmt: skip
        yield from self._response({**item, "namespace": namespace} if namespace else item)

    def say(self, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        yield from self._response({"type": "message", "id": "msg_1", "role": "assistant", "content": content})

    def whole(self, events: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        return dict(events[-1][1]["response"])

    def _response(self, item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        details = {
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        }
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, **details}
        response = {
            "id": "resp_1",
            "object": "response",
            "status": "completed",
            "output": [item],
            "usage": usage,
        }
        for event in (
            {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": response},
        ):
            yield str(event["type"]), event


class Gemini(Dialect):
    def tools(self, request: dict[str, Any]) -> list[str]:
        return [
            str(function["name"])
            for tool in request.get("tools") or []
            for function in tool.get("functionDeclarations") or []
        ]

    def answers(self, request: dict[str, Any]) -> list[ToolAnswer]:
        found: list[ToolAnswer] = []
        for content in request.get("contents") or []:
            for part in content.get("parts") or []:
                if "functionResponse" in part:
                    found.append(ToolAnswer())
                    found[-1].take(part["functionResponse"])
                elif found and "inlineData" in part:
                    # Pictures come beside the answer for models that take none in it.
                    found[-1].take(part["inlineData"])
        return found

    def call(self, step: int, tool: str, arguments: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        yield from self._content({"functionCall": {"name": tool, "args": arguments}})

    def say(self, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
        yield from self._content({"text": text})

    def _content(self, part: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
        candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        yield "", {"candidates": [candidate], "usageMetadata": usage}


class MockModel:
    """The model, serving on loopback.

    Args:
        restart: called before the last step is asked for.
        steps: the calls it makes, tool and arguments.
    """

    def __init__(
        self, dialect: Dialect, restart: Restart, steps: Sequence[tuple[str, dict[str, Any]]] = STEPS
    ) -> None:
        self._dialect, self._steps = dialect, steps
        self._restart = restart
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        #: Full names of the tools, and the tools' answers, of the longest request.
        self.tools: list[str] = []
        self.answers: list[ToolAnswer] = []
        #: Requests, for the words on a failure.
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def events(self, request: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """The answer to a request: the next step, or words where it is not about our tools or all is done."""
        names = self._dialect.tools(request)
        full = {name: each for name, _ in self._steps for each in names if each.endswith(name)}
        if len(full) < len(self._steps):
            return list(self._dialect.say(_LAST_WORDS))
        answers = self._dialect.answers(request)
        self.tools = names
        if len(answers) >= len(self.answers):
            self.answers = answers
        if len(answers) > len(self._steps) or (
            len(answers) == len(self._steps) and FOUND in answers[-1].text
        ):
            return list(self._dialect.say(_LAST_WORDS))
        if len(answers) == len(self._steps) - 1:
            self._restart()
        # Some clients do not begin a new session by themselves; a model calls again then.
        name, arguments = self._steps[min(len(answers), len(self._steps) - 1)]
        return list(self._dialect.call(len(answers), full[name], arguments))

    def whole(self, events: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
        """An answer that is not streamed."""
        return self._dialect.whole(events)


def _handler(model: MockModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            model.asked.append(f"GET {self.path}")
            self._send(b'{"data": [], "models": []}', "application/json")

        def do_HEAD(self) -> None:
            self._send(b"", "text/plain")

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            model.asked.append(f"POST {self.path} {raw[:200]!r}")
            try:
                request = json.loads(raw)
            except ValueError:
                request = {}
            if "count" in self.path.lower():
                self._send(b'{"input_tokens": 1, "totalTokens": 1}', "application/json")
                return
            events = model.events(request)
            if request.get("stream") or "stream" in self.path:
                lines = "".join(
                    (f"event: {name}\n" if name else "") + f"data: {json.dumps(event)}\n\n"
                    for name, event in events
                )
                self._send(lines.encode(), "text/event-stream")
            else:
                self._send(json.dumps(model.whole(events)).encode(), "application/json")

        def _send(self, body: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            return None

    return Handler
