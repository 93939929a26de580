"""The timing join in this process: the question, the strategies, and the pairs as Arrow."""
