"""Windows and monitors of sway, over its own socket."""
