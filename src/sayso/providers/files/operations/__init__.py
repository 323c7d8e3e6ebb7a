"""What may be proposed about files and folders, one module per kind of deed."""
