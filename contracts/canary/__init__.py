"""Canaries: one line that wires break is asked back of a provider's models, and what differs says whose fault it is."""
