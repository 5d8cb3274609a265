"""Where reports and notes go: one file for each kind of place."""
