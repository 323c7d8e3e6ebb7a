"""The files store on the real disk of this machine."""
