"""Charts of uncertain times, as Altair charts that can be shown in a notebook or saved as HTML and PNG."""

from whenabouts.chart.clouds_chart import clouds, near
from whenabouts.chart.files import save
from whenabouts.chart.match_chart import match, matches
from whenabouts.chart.pair_chart import pair
from whenabouts.chart.pairs_chart import pairs
from whenabouts.chart.ranges_chart import interval_ranges, ranges
from whenabouts.chart.segments_chart import segments

__all__ = ["clouds", "interval_ranges", "match", "matches", "near", "pair", "pairs", "ranges", "save", "segments"]
