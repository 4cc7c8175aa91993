"""The server engine: a library's index on a Qdrant server or cluster, behind the same seam as the embedded one."""
