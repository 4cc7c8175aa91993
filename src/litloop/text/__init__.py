"""What text says: sentences, quotes and their places, numbers, units, negations, entities, markers.

Pure functions over strings; offsets are code points of the text given.
"""
