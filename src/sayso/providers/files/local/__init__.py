"""The files store on the disk of this machine."""
