"""A flow that is deployed to a process pool is run by a worker: on its schedule, and when it is asked for."""
# scenario: both databases, timeout 150 s

import os
import signal
import subprocess
from datetime import timedelta
from pathlib import Path

from command import COMMAND, prefect
from deploying import folder_with_flow
from prefect import flow
from prefect.deployments import run_deployment
from prefect.schedules import Interval
from readback import eventually, flow_history, flow_run, logs, post, request, same, unique

POOL = unique("pool")
NAME = unique("worked")


def completed(deployment_id: str) -> list[dict]:
    return post(
        "/flow_runs/filter",
        {
            "deployments": {"id": {"any_": [deployment_id]}},
            "flow_runs": {"state": {"type": {"any_": ["COMPLETED"]}}},
        },
    )


def main() -> None:
    prefect("work-pool", "create", POOL, "--type", "process")
    folder: Path = folder_with_flow(NAME)
    deployed = flow.from_source(source=str(folder), entrypoint="flows.py:say")
    deployment_id = str(
        deployed.deploy(
            name="by worker",
            work_pool_name=POOL,
            parameters={"text": "from the deployment"},
            schedules=[Interval(timedelta(minutes=30), slug="half-hourly", parameters={"times": 2})],
            tags=["worked"],
            print_next_steps=False,
        )
    )
    ahead = eventually(
        "runs are made ahead",
        lambda: post("/flow_runs/filter", {"deployments": {"id": {"any_": [deployment_id]}}}),
        40,
    )
    same({run["work_pool_name"] for run in ahead}, {POOL}, "pool of the scheduled runs")
    same(ahead[0]["parameters"], {"text": "from the deployment", "times": 2}, "parameters of a scheduled run")

    environment = {**os.environ, "PREFECT_WORKER_QUERY_SECONDS": "1"}
    worker = subprocess.Popen([*COMMAND, "worker", "start", "--pool", POOL], env=environment)
    try:
        asked = run_deployment(f"{NAME}/by worker", parameters={"text": "asked"}, timeout=80, poll_interval=0.5)
        same(asked.state.name, "Completed", "the run that was asked for")
        run = flow_run(asked.id)
        same(run["parameters"], {"text": "asked"}, "its parameters")
        same((run["work_pool_name"], run["work_queue_name"]), (POOL, "default"), "its pool and queue")
        same(flow_history(run["id"])[-2:], ["Running", "Completed"], "its last states")
        eventually(
            "what it printed is kept",
            lambda: any("says asked 1 times" in log["message"] for log in logs(run["id"], 1)),
        )

        # The time of the next run is moved to now, as the dashboard's "run now" does.
        first = min(ahead, key=lambda one: one["expected_start_time"])
        answer = request(
            "POST", f"/flow_runs/{first['id']}/set_state", {"state": {"type": "SCHEDULED", "name": "Scheduled"}}
        )
        same(answer.body["status"], "ACCEPT", "moving a run to now")
        eventually("the scheduled run has completed", lambda: flow_run(first["id"])["state_type"] == "COMPLETED", 60)
        same(len(completed(deployment_id)), 2, "runs that completed")
    finally:
        worker.send_signal(signal.SIGINT)
        worker.wait(40)


if __name__ == "__main__":
    main()
