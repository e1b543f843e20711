"""The owner of a server who looks at packages, installs and changes them at a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cardloom.app import App


class Owner:
    """The owner at a page."""

    def __init__(self, app: App, page: Any) -> None:
        self.app = app
        self.page = page

    async def inspect(self, source: Path | str, **more: Any) -> dict[str, Any]:
        review: dict[str, Any] = await self.page.call("package.inspect", source=str(source), **more)
        return review

    async def install(self, source: Path | str, **more: Any) -> dict[str, Any]:
        """Look at a package and install it."""
        review = await self.inspect(source, **more)
        made: dict[str, Any] = await self.page.call(
            "package.install", source=str(source), treeHash=review["treeHash"], **more
        )
        return made

    async def update(self, package_id: str, *, accept: bool = False, **more: Any) -> dict[str, Any]:
        """Look at what an update would change and take it; gives what was shown."""
        review: dict[str, Any] = await self.page.call("package.inspect", packageId=package_id, **more)
        tree = review["treeHash"]
        await self.page.call("package.update", packageId=package_id, treeHash=tree, accept=accept, **more)
        return review

    async def package(self, package_id: str) -> dict[str, Any]:
        """An installed package as the list has it."""
        listed = (await self.page.call("package.list"))["packages"]
        return next(package for package in listed if package["packageId"] == package_id)

    async def packages(self) -> list[str]:
        return [package["packageId"] for package in (await self.page.call("package.list"))["packages"]]

    def trees(self) -> set[str]:
        """The trees that lie on disk."""
        folder = self.app.settings.data_folder / "packages"
        return {path.name for path in folder.iterdir() if path.name != ".staging"} if folder.exists() else set()

    def staged(self) -> int:
        folder = self.app.settings.data_folder / "packages" / ".staging"
        return len(list(folder.iterdir())) if folder.exists() else 0
