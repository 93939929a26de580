"""Pattern matching over Arrow tables: check, kernel, Arrow."""
