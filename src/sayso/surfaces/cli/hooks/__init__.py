"""The hooks of coding agents: how each agent tells of its calls and is answered, and where its hooks are set up."""
