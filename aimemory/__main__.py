"""Run the command line as ``python -m aimemory``."""

import sys

from aimemory.cli import main

sys.exit(main())
