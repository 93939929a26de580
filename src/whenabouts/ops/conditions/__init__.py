"""Conditions of a pattern over Arrow tables: masks for what reads one event, programs for what reads several."""
