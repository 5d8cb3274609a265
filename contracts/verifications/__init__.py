"""A router's own table of what its answers came to, read and written as it stands: SQLite and PostgreSQL."""
