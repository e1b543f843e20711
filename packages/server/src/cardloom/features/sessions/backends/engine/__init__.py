"""Our own engine: sessions in a store, models behind an endpoint, tools over the workspace and MCP servers."""
