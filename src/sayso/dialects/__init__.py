"""One module or folder for each dialect; readers work only on text, without disk, network or clock."""
