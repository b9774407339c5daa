"""Dates of schedules as the reference server makes them: one JSON request a line, one JSON answer a line.

A request is {"schedule", "start", "end", "count"}; the answer is a list of texts as in the keys of scheduled runs, or
{"fault"} where the reference refuses, fails, or takes longer than two seconds.
"""

import asyncio
import json
import signal
import sys
from datetime import datetime

import dateutil.tz
from prefect.server.schemas.schedules import CronSchedule, IntervalSchedule, RRuleSchedule

KINDS = {"cron": CronSchedule, "interval": IntervalSchedule, "rrule": RRuleSchedule}


class TooSlow(Exception):
    pass


def too_slow(*_: object) -> None:
    raise TooSlow


def differs(zone: str, found: list[datetime]) -> bool:
    """Recurrence rules take their zones from the files of the system, which may be older, whatever PYTHONTZPATH says."""
    system = dateutil.tz.gettz(zone)
    return any(date.astimezone(system).utcoffset() != date.utcoffset() for date in found)


def dates(request: dict) -> object:
    kind = next(KINDS[name] for name in KINDS if name in request["schedule"])
    start = datetime.fromisoformat(request["start"])
    end = datetime.fromisoformat(request["end"])
    signal.alarm(2)
    try:
        found = asyncio.run(kind(**request["schedule"]).get_dates(request["count"], start, end))
        if kind is RRuleSchedule and differs(request["schedule"]["timezone"], found):
            return {"fault": "ZoneData: the system's files know another offset"}
        return [str(date) for date in found]
    except BaseException as error:
        return {"fault": f"{type(error).__name__}: {error}"[:200]}
    finally:
        signal.alarm(0)


signal.signal(signal.SIGALRM, too_slow)
print(sys.version_info[:2], file=sys.stderr)
for line in sys.stdin:
    print(json.dumps(dates(json.loads(line))), flush=True)
