"""Bytes in, facts out: media types, event streams, strict JSON."""
