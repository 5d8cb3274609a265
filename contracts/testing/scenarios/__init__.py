"""All scenarios, by topic: a function declared in any module of this package is one."""
