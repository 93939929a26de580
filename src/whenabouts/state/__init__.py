"""The streaming twin of every operator: state machines that take batches and watermarks; nothing here knows Spark."""
