"""The commands, one file each: `Settings`, and `run(settings)` that returns the exit status."""
