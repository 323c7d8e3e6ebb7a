"""The commands, one file each; a command's file is imported only when it is chosen."""
