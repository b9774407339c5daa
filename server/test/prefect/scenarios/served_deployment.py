"""A served deployment runs what is asked of it, cancels a run with its hook, and its schedule makes runs ahead."""
# scenario: quick, timeout 120 s

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from prefect import flow, task
from prefect.client.orchestration import get_client
from prefect.deployments import run_deployment
from prefect.states import Cancelling
from prefect.variables import Variable
from readback import eventually, flow_history, flow_run, get, holds, logs, post, request, same, task_runs, unique

# The runner imports this file again for every run, so the name is handed on in the environment.
NAME = os.environ.setdefault("SERVED_FLOW_NAME", unique("served"))


def on_cancellation(flow, flow_run, state) -> None:
    Variable.set("cancelled_" + flow_run.name, state.name)


@task
def step() -> None: ...


@flow(name=NAME, flow_run_name="{name}", on_cancellation=[on_cancellation])
def served(name: str, seconds: float = 0.0, ratio: float = 1.0) -> float:
    step()
    time.sleep(seconds)
    return ratio


def serve() -> None:
    served.serve(
        name="by serve",
        tags=["deployed"],
        parameters={"name": "unnamed", "ratio": 2.0},
        version="3",
        description="größer",
        cron="0 6 * * *",
        limit=2,
    )


def main() -> None:
    # Every second instead of every ten: only how soon the runner looks is changed.
    environment = {**os.environ, "PREFECT_RUNNER_POLL_FREQUENCY": "1"}
    # Old clients only serve a flow whose file is below the current folder.
    serving = subprocess.Popen([sys.executable, __file__, "serve"], env=environment, cwd=Path(__file__).parent)
    path = f"/deployments/name/{NAME}/by serve"
    deployment = eventually(
        "the deployment is there", lambda: (answer := request("GET", path)).status == 200 and answer.body, 40
    )
    same(
        (deployment["tags"], deployment["version"], deployment["description"]),
        (["deployed"], "3", "größer"),
        "deployment",
    )
    same(deployment["parameters"], {"name": "unnamed", "ratio": 2.0}, "parameters of the deployment")
    same([one["schedule"]["cron"] for one in deployment["schedules"]], ["0 6 * * *"], "schedule")
    holds(deployment["parameter_openapi_schema"]["properties"]["seconds"]["default"] == 0.0, "schema of the parameters")

    MARK = unique("run").replace("-", "_")
    with get_client(sync_client=True) as client:
        long = client.create_flow_run_from_deployment(deployment["id"], parameters={"name": MARK, "seconds": 60.0})
        quick = run_deployment(
            f"{NAME}/by serve", parameters={"name": "quick"}, tags=["asked"], timeout=40, poll_interval=0.5
        )
        same(quick.state.name, "Completed", "the quick run")
        run = flow_run(quick.id)
        same(run["parameters"], {"name": "quick", "ratio": 2.0}, "its parameters with those of the deployment")
        same(sorted(run["tags"]), ["asked", "deployed"], "its tags")
        same(
            (run["deployment_id"], run["deployment_version"], run["name"]),
            (deployment["id"], "3", "quick"),
            "its deployment",
        )
        history = flow_history(run["id"])
        same((history[0], history[-2:]), ("Scheduled", ["Running", "Completed"]), f"its states: {history}")
        task_runs(run["id"], 1)
        logs(run["id"], 1)

        eventually(
            "the long run is running",
            lambda: flow_run(long.id)["state_name"] == "Running" and task_runs(long.id, 1),
            40,
        )
        same(client.set_flow_run_state(long.id, Cancelling()).status.value, "ACCEPT", "cancelling")
        eventually("the long run is cancelled", lambda: flow_run(long.id)["state_type"] == "CANCELLED", 40)
        same(flow_history(long.id)[-3:], ["Running", "Cancelling", "Cancelled"], "states of the cancelled run")
        same(get(f"/variables/name/cancelled_{MARK}")["value"], "Cancelling", "the hook of the cancelled run")

    scheduled = eventually(
        "runs made ahead by the schedule",
        lambda: post(
            "/flow_runs/filter",
            {
                "deployments": {"id": {"any_": [deployment["id"]]}},
                "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
                "sort": "NEXT_SCHEDULED_START_TIME_ASC",
            },
        ),
        40,
    )
    same({run["state"]["state_details"]["scheduled_time"][11:19] for run in scheduled}, {"06:00:00"}, "their times")
    same(scheduled[0]["auto_scheduled"], True, "made by the scheduler")
    serving.send_signal(signal.SIGINT)
    serving.wait(30)
    eventually("the deployment is paused when serving ends", lambda: request("GET", path).body["paused"], 20)


if __name__ == "__main__":
    serve() if len(sys.argv) > 1 else main()
