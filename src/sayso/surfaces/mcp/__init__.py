"""The surface for other people's agents: the catalogue as the tools of an MCP server."""
