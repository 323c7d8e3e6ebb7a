"""The user interfaces of sayso: the command line and the MCP server."""
