"""A run whose process was killed, and that had sent heartbeats, is Crashed without anybody having set anything up."""
# Signalbox only: the reference server leaves such a run Running unless the user makes an automation for it.
# scenario: both databases, timeout 240 s

import os
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta, timezone
from uuid import uuid4

from prefect import flow
from readback import eventually, events, flow_history, flow_run, holds, moment, post, same, unique

NAME = os.environ.setdefault("ZOMBIE_FLOW_NAME", unique("zombie"))
# The shortest that there is, in seconds.
INTERVAL = 30


@flow(name=NAME)
def zombie() -> None:
    time.sleep(600)


def main() -> None:
    environment = {**os.environ, "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": str(INTERVAL)}
    process = subprocess.Popen([sys.executable, __file__, "run"], env=environment)
    mine = {"flows": {"name": {"any_": [NAME]}}, "flow_runs": {"state": {"type": {"any_": ["RUNNING"]}}}}
    [run] = eventually("the run runs", lambda: post("/flow_runs/filter", mine), 60)
    resource = f"prefect.flow-run.{run['id']}"
    beats = {"event": {"name": ["prefect.flow-run.heartbeat"]}, "resource": {"id": [resource]}}
    [first] = events(beats, 1)
    # The second heartbeat would come half a minute later; it tells how often they come.
    occurred = datetime.fromisoformat(first["occurred"]) + timedelta(seconds=INTERVAL)
    second = {**first, "id": str(uuid4()), "occurred": occurred.astimezone(timezone.utc).isoformat()}
    post("/events", [{key: second[key] for key in ("id", "event", "occurred", "resource", "related", "payload")}])
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    same(flow_run(run["id"])["state_type"], "RUNNING", "right after the process was killed")
    eventually("the run is crashed", lambda: flow_run(run["id"])["state_type"] == "CRASHED", 4 * INTERVAL + 20)
    silent = moment(flow_run(run["id"])["state"]["timestamp"]) - moment(first["occurred"])
    holds(silent > timedelta(seconds=3 * INTERVAL), f"a run is given three intervals, and not {silent}")
    same(flow_history(run["id"]), ["Pending", "Running", "Crashed"], "states")
    holds("No heartbeat for" in flow_run(run["id"])["state"]["message"], "why")


if __name__ == "__main__":
    zombie() if len(sys.argv) > 1 else main()
