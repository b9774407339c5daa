"""A served flow with an interval runs by itself, each time once, with the parameters of its schedule."""
# scenario: timeout 240 s

import os
import signal
import subprocess
import sys
from datetime import timedelta

from prefect import flow
from prefect.schedules import Interval
from readback import eventually, flow_history, holds, moment, post, request, same, unique

NAME = os.environ.setdefault("SERVED_FLOW_NAME", unique("on schedule"))


@flow(name=NAME)
def ticking(text: str = "default", ratio: float = 1.0) -> str:
    return text


def serve() -> None:
    ticking.serve(
        name="ticks",
        parameters={"ratio": 2.0},
        schedules=[Interval(timedelta(seconds=20), parameters={"text": "ticked"}, slug="tick")],
    )


def main() -> None:
    environment = {**os.environ, "PREFECT_RUNNER_POLL_FREQUENCY": "1"}
    serving = subprocess.Popen([sys.executable, __file__, "serve"], env=environment)
    try:
        check(serving)
    finally:
        serving.kill()


def check(serving: subprocess.Popen) -> None:
    path = f"/deployments/name/{NAME}/ticks"
    deployment = eventually(
        "the deployment is there", lambda: (answer := request("GET", path)).status == 200 and answer.body, 40
    )

    def completed() -> list[dict]:
        return post(
            "/flow_runs/filter",
            {
                "deployments": {"id": {"any_": [deployment["id"]]}},
                "flow_runs": {"state": {"type": {"any_": ["COMPLETED"]}}},
                "sort": "EXPECTED_START_TIME_ASC",
            },
        )

    runs = eventually("two runs have completed", lambda: len(found := completed()) >= 2 and found, 180)
    for run in runs:
        same(run["parameters"], {"ratio": 2.0, "text": "ticked"}, "parameters, overlaid by the schedule's")
        same(run["auto_scheduled"], True, "made by the scheduler")
        same(run["created_by"]["type"], "SCHEDULE", "who made it")
        same(run["created_by"]["display_value"], "tick", "which schedule")
        holds("auto-scheduled" in run["tags"], "the tag of scheduled runs")
        # The server tells a run to wait for whole seconds, so it lets one begin that is less than half a second early.
        early = (moment(run["expected_start_time"]) - moment(run["start_time"])).total_seconds()
        holds(early <= 0.5, f"no run begins before its time, but this one did by {early} s")
        same(flow_history(run["id"])[0], "Scheduled", "first state")
    times = [run["expected_start_time"] for run in runs]
    same(len(set(times)), len(times), "each time runs once")
    serving.send_signal(signal.SIGINT)
    serving.wait(40)
    eventually("the deployment is paused when serving ends", lambda: request("GET", path).body["paused"], 20)
    left = post(
        "/flow_runs/count",
        {
            "deployments": {"id": {"any_": [deployment["id"]]}},
            "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
        },
    )
    same(left, 0, "runs ahead of a paused deployment")


if __name__ == "__main__":
    serve() if len(sys.argv) > 1 else main()
