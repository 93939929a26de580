"""Rewrite rules, one a file: each takes a condition that was checked and gives one that means the same."""
