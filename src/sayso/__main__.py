"""Start the command line, for `python -m sayso` and for the command `sayso`."""

import sys

from sayso.surfaces.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
