"""One run over the scholarly databases and the library together."""
