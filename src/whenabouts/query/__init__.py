"""The language: text to model and back, typing against a schema, and one rewrite rule a file."""

from __future__ import annotations

from whenabouts.query.format import format_expression, format_interval_query, format_pattern
from whenabouts.query.parse import parse_interval_query, parse_pattern

__all__ = ["format_expression", "format_interval_query", "format_pattern", "parse_interval_query", "parse_pattern"]
