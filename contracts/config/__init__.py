"""YAML to Provider and Contract: the strict loader, typed decoding, rows, and the catalogue."""
