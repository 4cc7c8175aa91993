"""The name by which a collection says that this pack is its own."""

NAME = "neurology"
