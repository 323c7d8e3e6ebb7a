"""Let `python -m sayso` and the command `sayso` begin the command line."""

import sys

from sayso.surfaces.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
