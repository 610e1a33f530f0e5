"""Agents that ask to be let in, as the dashboard shows them to the person who opened it."""

from __future__ import annotations

from typing import Any

from tdmcp_embedded.http.oauth.agents import Agents


class Desk:
    """Questions are known by their code, since the id of a request is the secret of the browser that waits."""

    def __init__(self, agents: Agents) -> None:
        self._agents = agents

    def pending(self) -> list[dict[str, Any]]:
        """Open questions: `id`, `title`, `text`."""
        return [
            {
                "id": request.code,
                "title": f"{request.client_name} asks to be let in",
                "text": f"{request.sentence()} Allow it only if its browser shows this very code.",
            }
            for request in self._agents.consents.waiting()
        ]

    def decide(self, question: str, allow: bool) -> bool:
        """Answer one; whether it was still open."""
        waiting = [r for r in self._agents.consents.waiting() if r.code == question]
        return bool(waiting) and self._agents.decide(waiting[0].id, allow)
