"""What stands in the bytes of a message: headers, the tree of its parts, its text, and its attachments."""
