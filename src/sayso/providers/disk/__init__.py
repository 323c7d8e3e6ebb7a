"""Names in opened folders: the calls of the kernel, and small texts that are checked and exchanged in the act."""
