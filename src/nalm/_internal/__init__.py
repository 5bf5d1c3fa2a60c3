"""What several rooms need: array operations, types, checks, files, progress."""
