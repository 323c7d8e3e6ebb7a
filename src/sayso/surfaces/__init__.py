"""What a person or program meets: the command line, the page, MCP; none knows another."""
