"""What goes in and out over HTTP, checked at the edge. One module for each group of routes."""
