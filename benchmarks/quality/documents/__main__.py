"""`python -m benchmarks.quality.documents`: see `measuring`."""

from benchmarks.quality.documents.measuring import main

if __name__ == "__main__":
    main()
