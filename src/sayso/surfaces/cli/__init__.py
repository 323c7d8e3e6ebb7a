"""The command line: its commands, and the person's terminal, on which questions are asked."""
