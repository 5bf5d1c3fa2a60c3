"""Tables in text files: how they are written, and their columns as numbers."""
