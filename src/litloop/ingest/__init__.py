"""Adding: files become papers in the catalogue, vectors in the store and passages in the index.

Reading, cutting, embedding and storing overlap, and each paper is stored in one transaction of its own: whatever
stops the run, at most the paper being written is lost, and the same command goes on where it stopped.
"""

from litloop.ingest.adder import Adder
from litloop.ingest.backend import ingest_backend
from litloop.ingest.report import AddProgress, AddReport
from litloop.ingest.work_composition import IngestTarget

__all__ = ["AddProgress", "AddReport", "Adder", "IngestTarget", "ingest_backend"]
