"""The methods about packages and catalogues. Parameters fit their schemas when they arrive here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from cardloom_protocol.errors import CallError, ErrorCode

from ....core.call import Call, Handler, Result
from .service import Library
from .source import Source, parse_source

ShownPackage = Callable[[str], dict[str, Any]]


def handlers(library: Library, shown: ShownPackage, listed: Callable[[], Awaitable[object]]) -> Mapping[str, Handler]:
    """The handlers by method name.

    `shown` gives a package as the list of packages shows it, `listed` makes that list anew.
    """
    return {**_packages(library, shown), **_catalogues(library, listed)}


def _packages(library: Library, shown: ShownPackage) -> dict[str, Handler]:
    async def inspect(call: Call) -> Result:
        package_id, source = call.params.get("packageId"), _source(call.params)
        if package_id is not None:
            return await library.inspect_update(package_id, source, call.params.get("ref"))
        if source is None:
            raise CallError(ErrorCode.INVALID_PARAMS, "package.inspect needs a source or a packageId", [])
        return await library.inspect(source)

    async def install(call: Call) -> Result:
        source = _source(call.params)
        assert source is not None
        return shown(await library.install(source, call.params["treeHash"]))

    async def update(call: Call) -> Result:
        params = call.params
        package_id, tree, accept = params["packageId"], params.get("treeHash"), params.get("accept", False)
        if tree is not None:
            await library.update(package_id, _source(params), params.get("ref"), tree, accept=accept)
        elif accept:
            await library.accept(package_id)
        else:
            raise CallError(ErrorCode.INVALID_PARAMS, "package.update needs treeHash, accept or both", [])
        return shown(package_id)

    async def roll_back(call: Call) -> Result:
        await library.roll_back(call.params["packageId"])
        return shown(call.params["packageId"])

    async def remove(call: Call) -> Result:
        await library.remove(call.params["packageId"], drop_data=call.params["dropData"])
        return {}

    return {
        "package.inspect": inspect,
        "package.install": install,
        "package.update": update,
        "package.rollback": roll_back,
        "package.remove": remove,
    }


def _catalogues(library: Library, listed: Callable[[], Awaitable[object]]) -> dict[str, Handler]:
    catalogues = library.catalogues

    async def list_all(_: Call) -> Result:
        return catalogues.to_wire()

    async def add(call: Call) -> Result:
        await catalogues.add(call.params["location"])
        await listed()
        return catalogues.to_wire()

    async def remove(call: Call) -> Result:
        await catalogues.remove(call.params["location"])
        await listed()
        return catalogues.to_wire()

    async def refresh(_: Call) -> Result:
        problems = await catalogues.refresh()
        await listed()
        return {**catalogues.to_wire(), "problems": problems}

    return {
        "catalogue.list": list_all,
        "catalogue.add": add,
        "catalogue.remove": remove,
        "catalogue.refresh": refresh,
    }


def _source(params: Mapping[str, Any]) -> Source | None:
    """The source that parameters name, None where they name none."""
    text = params.get("source")
    if text is None:
        return None
    return parse_source(text, ref=params.get("ref"), folder=params.get("folder", ""), dev=params.get("dev", False))
