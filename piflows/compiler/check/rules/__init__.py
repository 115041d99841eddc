"""One rule per file; `../registry.py` has them in order."""
