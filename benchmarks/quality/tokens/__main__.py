"""`python -m benchmarks.quality.tokens`: see `measuring`."""

from benchmarks.quality.tokens.measuring import main

if __name__ == "__main__":
    main()
