"""`python -m benchmarks.speed.load`: see `measuring`."""

from benchmarks.speed.load.measuring import main

if __name__ == "__main__":
    main()
