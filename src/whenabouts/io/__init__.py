"""Tables from and to files: Parquet, CSV and JSON lines, by the suffix of the path."""

from whenabouts.io.formats import SUFFIXES, format_of
from whenabouts.io.reading import read
from whenabouts.io.writing import write

__all__ = ["SUFFIXES", "format_of", "read", "write"]
