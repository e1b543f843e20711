"""The methods of workspace files: `fs.*` for cards, each in its own workspace, and `files.*` for the owner."""

from __future__ import annotations

from collections.abc import Mapping

from cardloom_protocol.callers import CallerKind
from cardloom_protocol.ids import WorkspaceId

from ...core.call import Call, Handler, Result
from ...core.graph import Graph
from .service import FilesService
from .watches import Asker
from .workspace_files import OPERATIONS, Operation


def handlers(service: FilesService, graph: Graph) -> Mapping[str, Handler]:
    """The handlers by method name: both namespaces come to the same functions."""

    def workspace_of(call: Call) -> WorkspaceId:
        if call.caller.kind is CallerKind.OWNER:
            return graph.workspace(call.params["workspaceId"]).id
        return graph.card(call.card_id).workspace_id

    def doing(operation: Operation) -> Handler:
        async def do(call: Call) -> Result:
            return await service.do(workspace_of(call), operation, call.params)

        return do

    async def watch(call: Call) -> Result:
        card_id = call.card_id if call.caller.kind is CallerKind.CARD else None
        asker = Asker(call.caller.connection_id, workspace_of(call), card_id)
        recursive = call.params.get("recursive", False)
        return {"watchId": await service.watch(asker, call.params["path"], recursive=recursive)}

    async def unwatch(call: Call) -> Result:
        service.unwatch(call.params["watchId"], call.caller.connection_id)

    every: dict[str, Handler] = {operation: doing(operation) for operation in OPERATIONS}
    every |= {"watch": watch, "unwatch": unwatch}
    return {f"{family}.{name}": handler for family in ("fs", "files") for name, handler in every.items()}
