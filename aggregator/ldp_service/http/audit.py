"""Requests as the audit log has them (`logs.audit_log`), each with an id."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any

from starlette.requests import Request

from ldp_service.http.upload import Receive, Scope, Send
from ldp_service.logs.events import HEADER, id_of, request_id
from ldp_service.page.access import shown_token
from ldp_service.people.admission import PERSON
from ldp_service.service import Service

_UNWATCHED = re.compile(
    r"/(metrics|livez|readyz|version|page/.*)|/v1/surveys/[^/]+(/stops)?"
)
"""What machines ask for, devices among them; metrics that have estimates are watched.
"""
_LONGEST = 2000


class AuditedRequest:
    """One request: its id, and what the audit log says of it."""

    def __init__(self, service: Service, scope: Scope) -> None:
        self.id = id_of(scope["headers"])
        self._service = service
        self._scope = scope

    async def answer(self, application: Any, receive: Receive, send: Send) -> None:
        """Answer it, and note that."""
        request_id.set(self.id)

        async def send_noting(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (HEADER, self.id.encode())]
                self._note(message["status"])
            await send(message)

        await application(self._scope, receive, send_noting)

    def _note(self, status: int) -> None:
        log = self._service.settings.audit
        path = self._scope["path"].removeprefix(self._scope.get("root_path", ""))
        has_estimates = path == "/metrics" and self._service.settings.metrics_estimates
        is_unwatched = status < 400 and not has_estimates and _UNWATCHED.fullmatch(path)
        if log is None or status == 304 or is_unwatched:
            return
        tokens = self._service.settings.tokens
        shown = self._scope.get("ldp.token") or shown_token(Request(self._scope))
        known = None
        if tokens is not None:
            known = tokens.tokens.find(shown)
        person = self._scope.get(PERSON)
        by_someone = known is not None or person is not None
        write = log.write if by_someone or tokens is None else log.refuse
        write(
            request=self.id,
            token=None if known is None else known.name,
            **({} if person is None else {"person": person}),
            method=self._scope["method"],
            path=path[:_LONGEST],
            query=self._scope.get("query_string", b"").decode("latin-1")[:_LONGEST],
            status=status,
        )
