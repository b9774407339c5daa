"""Dates of schedules as the reference server makes them: one JSON request a line, one JSON answer a line.

The first line tells the editions of the time zones and their names. A request is {"schedule", "start", "end", "count"};
the answer is a list of texts as in the keys of scheduled runs, or {"fault"} where the reference refuses, fails, or takes
longer than two seconds.
"""

import asyncio
import json
import os
import signal
import sys
import zoneinfo
from datetime import datetime

import dateutil.tz.tz
import pytz
import tzdata
import whenever
from prefect.server.schemas.schedules import CronSchedule, IntervalSchedule, RRuleSchedule

KINDS = {"cron": CronSchedule, "interval": IntervalSchedule, "rrule": RRuleSchedule}


class TooSlow(Exception):
    pass


def too_slow(*_: object) -> None:
    raise TooSlow


def dates(request: dict) -> object:
    kind = next(KINDS[name] for name in KINDS if name in request["schedule"])
    start = datetime.fromisoformat(request["start"])
    end = datetime.fromisoformat(request["end"])
    signal.alarm(2)
    try:
        found = asyncio.run(kind(**request["schedule"]).get_dates(request["count"], start, end))
        return [str(date) for date in found]
    except BaseException as error:
        return {"fault": f"{type(error).__name__}: {error}"[:200]}
    finally:
        signal.alarm(0)


# Zones come from three places: from the files of the system, which may be old, where there are such, else from `tzdata`;
# for crons from `pytz`; for recurrence rules from the system alone. With the packages in the system's place, the edition
# is known.
zoneinfo.reset_tzpath([])
whenever.reset_tzpath([])
dateutil.tz.tz.TZPATHS[:] = [os.path.join(os.path.dirname(pytz.__file__), "zoneinfo")]
editions = {"tzdata": tzdata.IANA_VERSION, "pytz": pytz.OLSON_VERSION}
print(json.dumps({"python": sys.version_info[:2], "editions": editions, "zones": sorted(zoneinfo.available_timezones())}))
signal.signal(signal.SIGALRM, too_slow)
for line in sys.stdin:
    print(json.dumps(dates(json.loads(line))), flush=True)
