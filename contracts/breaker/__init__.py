"""Decide whom to stop sending to, from what a router wrote down of its answers; a pure core that remembers nothing."""
