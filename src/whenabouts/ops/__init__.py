"""One operator a file: check, kernel, Arrow. Knows nothing of Spark."""
