"""Makes passages findable: analyser, topics, manifest, and the engine seam."""
