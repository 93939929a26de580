"""The only place that imports pyspark: the door, slices, joins, sessions and progress on Spark."""
