"""The models of all endpoints under one roof: an id is `endpoint/model`, and each knows where it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, TypeAlias, cast

from cardloom_protocol.session.errors import BadRequest, NotFound, SessionError
from cardloom_protocol.session.info import ModelInfo, SessionInfo, SessionModel
from cardloom_protocol.session.json_text import JsonObject
from cardloom_sdk.backend import StoreSessions

from .endpoint import Endpoint

KNOWN_FOR_S: Final = 60.0
_Endpoints: TypeAlias = list[Endpoint]
_ModelInfos: TypeAlias = list[ModelInfo]  # inside the class the name `list` is an operation


class Models:
    """What the endpoints offer, asked for now and then. An endpoint that does not answer offers nothing meanwhile."""

    def __init__(self, endpoints: Sequence[Endpoint], default: str | None = None) -> None:
        self._endpoints = {endpoint.settings.id: endpoint for endpoint in endpoints}
        self._left: _Endpoints = []
        self._default = default
        self._known: tuple[float, list[ModelInfo]] | None = None
        self.sessions: StoreSessions | None = None

    async def list(self) -> list[ModelInfo]:
        """The models to choose from. The endpoint's own error when not one of them answers."""
        now = asyncio.get_running_loop().time()
        if self._known is not None and now - self._known[0] < KNOWN_FOR_S:
            return self._known[1]
        found = await asyncio.gather(*(self._of(one) for one in self._endpoints.values()), return_exceptions=True)
        models: list[ModelInfo] = []
        for one in found:
            if isinstance(one, list):
                models += one
            elif not isinstance(one, SessionError):
                raise one
        if not models:
            for one in found:
                if isinstance(one, SessionError):
                    raise one
        if self._default is not None:
            models = [_marked(model) if model["id"] == self._default else model for model in models]
        if not any(isinstance(one, SessionError) for one in found):
            self._known = (now, models)
        return models

    async def set(self, session_id: str, model: SessionModel) -> SessionInfo:
        """See the contract."""
        if self.sessions is None:
            raise NotFound(f"There is no session {session_id!r}.")
        return await self.sessions.choose(session_id, model=model)

    async def check(self, model: SessionModel) -> None:
        """NOT_FOUND for a model that no endpoint offers, BAD_REQUEST for a level that it does not have."""
        known = next((one for one in await self.list() if one["id"] == model["model"]), None)
        if known is None:
            raise NotFound(f"There is no model {model['model']!r}.")
        level = model.get("thinking")
        if level is not None and level not in known.get("thinking", []):
            raise BadRequest(f"The model {model['model']!r} has no thinking level {level!r}.")

    async def default(self) -> SessionModel:
        """The model of sessions that choose none. NOT_FOUND where there is no model at all."""
        if self._default is not None:
            return {"model": self._default}
        models = await self.list()
        if not models:
            raise NotFound("No endpoint offers a model.")
        return {"model": models[0]["id"]}

    def locate(self, model_id: str) -> tuple[Endpoint, str]:
        """Where a model is asked, and its id there. NOT_FOUND."""
        endpoint_id, _, own_id = model_id.partition("/")
        if endpoint_id not in self._endpoints or not own_id:
            raise NotFound(f"There is no model {model_id!r}.")
        return self._endpoints[endpoint_id], own_id

    def put(self, endpoint: Endpoint) -> None:
        """Take an endpoint in, in place of the one with its id; what that one says goes on to its end."""
        old = self._endpoints.get(endpoint.settings.id)
        self._endpoints[endpoint.settings.id] = endpoint
        self._known = None
        if old is not None:
            self._left.append(old)

    def remove(self, endpoint_id: str) -> None:
        """Offer an endpoint no more. NOT_FOUND."""
        old = self._endpoints.pop(endpoint_id, None)
        if old is None:
            raise NotFound(f"There is no endpoint {endpoint_id!r}.")
        self._known = None
        self._left.append(old)

    async def close(self) -> None:
        """Close the connections of all endpoints."""
        await asyncio.gather(*(endpoint.close() for endpoint in (*self._endpoints.values(), *self._left)))

    async def _of(self, endpoint: Endpoint) -> _ModelInfos:
        prefix = endpoint.settings.id
        return [
            cast(ModelInfo, {**cast(JsonObject, model), "id": f"{prefix}/{model['id']}"})
            for model in await endpoint.models()
        ]


def _marked(model: ModelInfo) -> ModelInfo:
    return {**model, "default": True}
