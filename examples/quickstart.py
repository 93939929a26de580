"""Doors log their times cut to 15 seconds, alarms know only a range: which belong together, and how surely?"""

import pandas as pd

import whenabouts as wa

times = pd.to_datetime(["2026-03-01 09:00:00", "2026-03-01 09:00:30", "2026-03-01 09:00:45", "2026-03-01 09:01:00"])
doors = pd.DataFrame({"id": ["front", "back", "side"], "opened": times[[0, 1, 2]]})
alarms = pd.DataFrame({"id": [1, 2], "earliest": times[[0, 2]], "latest": times[[1, 3]]})
opened = wa.events(doors, id="id", time=wa.rounded("opened", "15s", "down"))
rang = wa.events(alarms, id="id", time=wa.between("earliest", "latest"))
print(wa.timing_join(opened, rang, wa.within("10s"), min_confidence=0.2))
