"""Hold LLM API providers to what a router assumes about them and never verifies."""

__version__ = "0.1.0"
