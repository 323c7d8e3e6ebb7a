"""The MCP server, which offers operations as tools to other people's agents."""
