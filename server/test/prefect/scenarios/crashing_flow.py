"""A flow that exits or is interrupted is Crashed, and one whose process is killed stays Running until it is set."""
# scenario: timeout 120 s

import os
import signal
import subprocess
import sys

from prefect import flow, task
from prefect.variables import Variable
from readback import (
    eventually,
    flow_history,
    flow_run,
    get,
    holds,
    post,
    request,
    same,
    states_of,
    task_runs,
    unique,
)


def remember(flow, run, state) -> None:
    Variable.set(f"crashed_{run.name}", state.name)


@task
def prepare() -> str:
    return "ready"


@flow(on_crashed=[remember], flow_run_name="{name}")
def dying(name: str, how: str) -> None:
    prepare()
    if how == "exit":
        sys.exit(3)
    if how == "interrupt":
        raise KeyboardInterrupt
    os.kill(os.getpid(), signal.SIGKILL)


if len(sys.argv) > 1:
    dying(sys.argv[1], sys.argv[2])
    sys.exit()


def start(how: str) -> tuple[str, subprocess.Popen]:
    name = unique(how).replace("-", "_")
    return name, subprocess.Popen(
        [sys.executable, __file__, name, how], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def run_named(name: str) -> dict:
    found = post("/flow_runs/filter", {"flow_runs": {"name": {"any_": [name]}}})
    same(len(found), 1, f"flow runs named {name}")
    return found[0]


started = [start(how) for how in ("exit", "interrupt", "kill")]
codes = [process.wait(100) for _, process in started]
same(codes[0], 3, "exit code of the process that exits")
holds(codes[1] != 0, "exit code of the interrupted process")
same(codes[2], -signal.SIGKILL, "the killed process")
left, interrupted, killed = (run_named(name) for name, _ in started)

same((left["state_type"], left["state_name"]), ("CRASHED", "Crashed"), "state after an exit")
holds("SystemExit" in left["state"]["message"] or "exit" in left["state"]["message"].lower(), left["state"]["message"])
same(flow_history(left["id"]), ["Pending", "Running", "Crashed"], "states after an exit")
same(states_of(task_runs(left["id"], 1)), {"Completed": 1}, "the task before the exit")
same(get(f"/variables/name/crashed_{left['name']}")["value"], "Crashed", "the hook after an exit")

same(interrupted["state_type"], "CRASHED", "state after an interrupt")
holds(
    "KeyboardInterrupt" in interrupted["state"]["message"] or interrupted["state"]["message"],
    "message after an interrupt",
)
same(get(f"/variables/name/crashed_{interrupted['name']}")["value"], "Crashed", "the hook after an interrupt")

same(killed["state_type"], "RUNNING", "a killed process says nothing")
same(killed["end_time"], None, "end of a killed run")
holds(killed["estimated_run_time"] > 0, "a running run's estimated run time grows")
same(request("GET", f"/variables/name/crashed_{killed['name']}").status, 404, "no hook after a kill")

answer = post(f"/flow_runs/{killed['id']}/set_state", {"state": {"type": "CRASHED", "message": "found dead"}})
same(answer["status"], "ACCEPT", "an operator may set the state of the killed run")
run = eventually(
    "the killed run is crashed", lambda: (run := flow_run(killed["id"]))["state_type"] == "CRASHED" and run
)
same(run["state"]["message"], "found dead", "message of the operator")
holds(run["end_time"], "the killed run has ended")
