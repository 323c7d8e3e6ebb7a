"""The values that all packages of sayso share, and the interfaces between the packages."""
