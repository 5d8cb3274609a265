"""A router's own database: how its address is read and its session opened, and how names are found in its catalogue."""
