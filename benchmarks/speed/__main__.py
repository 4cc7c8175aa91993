"""`python -m benchmarks.speed`: see `measuring`."""

import sys

from benchmarks.speed.measuring import main

if __name__ == "__main__":
    sys.exit(main())
