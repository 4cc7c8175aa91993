"""`python -m benchmarks.quality.answering`: see `measuring`."""

from benchmarks.quality.answering.measuring import main

if __name__ == "__main__":
    main()
