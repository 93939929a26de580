"""Draw the pictures of the documents: `python docs/images/make.py` writes them next to this file."""

from pathlib import Path

import whenabouts as wa
from whenabouts import chart
from whenabouts.testing import sensor_network

HERE = Path(__file__).parent


def one_pair():
    """The first row of the README's table: a door's stamp cut to 15 seconds, and an alarm known by a range."""
    door, alarm = wa.Histogram([0, 15], [1]), wa.Histogram([8, 20], [1])
    return chart.pair(door, alarm, wa.within("10s"), names=("front door", "alarm 1"))


def ranges():
    """Where the partners of one event are surely in, surely out, or must be probed."""
    return chart.interval_ranges(0, 100, (20, 200), wa.within(1000), 0.6)


def detections():
    """The events of the tutorial on sensors."""
    seismic, acoustic, seismic_latency, acoustic_latency = sensor_network(5_000, sensors=8, seed=7)
    left = wa.events(seismic, id="id", time=wa.detected("detected", latency=seismic_latency, by="sensor"))
    right = wa.events(acoustic, id="id", time=wa.detected("detected", latency=acoustic_latency, by="sensor"))
    return left, right


def detected_pairs():
    """Pairs of the tutorial from the surest to the least sure."""
    left, right = detections()
    result = wa.timing_join(left, right, wa.within("2s"), min_confidence=0.3)
    return chart.pairs(result, left, right, top=8, pick="spread", names=("seismic", "acoustic"))


PICTURES = {"pair.png": one_pair, "ranges.png": ranges, "sensor-pairs.png": detected_pairs}


if __name__ == "__main__":
    for name, draw in PICTURES.items():
        print(chart.save(draw(), HERE / name))
