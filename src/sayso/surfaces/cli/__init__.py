"""The command line: one file per command, and the person's terminal, on which questions are asked."""
