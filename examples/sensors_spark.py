"""Seismic and acoustic detections of intruders, joined on local Spark (paper 000, example 2)."""

import whenabouts as wa
from whenabouts.testing import sensor_network

spark = wa.local_session("sensors")
seismic, acoustic, seismic_latency, acoustic_latency = sensor_network(100_000, seed=7)

# An event happened some time before its sensor reported it: `occurred = detected - latency`.
left = wa.events(
    spark.createDataFrame(seismic), id="id", time=wa.detected("detected", latency=seismic_latency, by="sensor")
)
right = wa.events(
    spark.createDataFrame(acoustic), id="id", time=wa.detected("detected", latency=acoustic_latency, by="sensor")
)

stats = wa.Stats()
alarms = wa.timing_join(left, right, wa.within("2s"), min_confidence=0.6, stats=stats)

# The result is a plain DataFrame: go on with what you know.
alarms.cache()
print(f"{alarms.count():,} possible intrusions")
alarms.orderBy("confidence", "left_id").show(5)
print(stats)

spark.stop()
