"""A server that was down makes up its schedules: no time is made twice, and what fell due meanwhile becomes late."""
# scenario: both databases, own server, alone, timeout 150 s

import time
from datetime import datetime, timedelta, timezone

from deploying import deployment, scheduled
from readback import control, eventually, flow_history, holds, same


def main() -> None:
    # Every minute, so that the hour ahead is filled; the first is due while the server is down.
    anchor = (datetime.now(timezone.utc) + timedelta(seconds=12)).isoformat()
    made = deployment(
        schedules=[
            {"schedule": {"interval": 600, "anchor_date": anchor}, "slug": "often"},
            {"schedule": {"cron": "0 6 * * *"}, "slug": "daily"},
        ]
    )
    before = eventually("runs are made ahead", lambda: len(found := scheduled(made["id"])) >= 9 and found, 40)
    keys = [run["idempotency_key"] for run in before]
    control("stop?signal=SIGKILL")
    time.sleep(15)
    control("start")
    first = before[0]
    eventually("the run that fell due meanwhile is late", lambda: flow_history(first["id"])[-1] == "Late", 40)
    same(flow_history(first["id"]), ["Scheduled", "Late"], "its states")
    after = eventually(
        "a run was made in the place of the first", lambda: len(found := scheduled(made["id"])) > len(before) and found, 75
    )
    new_keys = [run["idempotency_key"] for run in after]
    same(len(set(new_keys)), len(new_keys), "no time is made twice")
    holds(set(keys) <= set(new_keys), "the runs from before are still there")
    slots = sorted(run["expected_start_time"] for run in after if run["created_by"]["display_value"] == "often")
    distances = {
        (datetime.fromisoformat(two) - datetime.fromisoformat(one)).total_seconds() for one, two in zip(slots, slots[1:])
    }
    same(distances, {600.0}, "no time is left out")


if __name__ == "__main__":
    main()
