"""A small MCP server of the tests, as a program, and a home in which it is wrapped."""
