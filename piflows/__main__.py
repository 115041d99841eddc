"""`python -m piflows`."""

import sys

from piflows.cli import main

if __name__ == "__main__":
    sys.exit(main())
