"""`python -m benchmarks.speed.scale`: see `measuring`."""

from benchmarks.speed.scale.measuring import main

if __name__ == "__main__":
    main()
