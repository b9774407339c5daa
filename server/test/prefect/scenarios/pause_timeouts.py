"""A paused run whose process is gone fails when its pause times out, and a run resumed in time does not."""

import os
import signal
import subprocess
import sys

from prefect import flow, pause_flow_run, resume_flow_run
from readback import eventually, events, flow_history, flow_run, post, request, same, unique

NAME = os.environ.setdefault("PAUSED_FLOW_NAME", unique("paused"))


@flow(name=NAME, flow_run_name="{name}")
def paused(name: str, seconds: int) -> None:
    pause_flow_run(timeout=seconds, poll_interval=1)


def run_of(name: str):
    found = post("/flow_runs/filter", {"flows": {"name": {"any_": [NAME]}}, "flow_runs": {"name": {"any_": [name]}}})
    return found[0] if found and found[0]["state_type"] == "PAUSED" else None


def main() -> None:
    gone = subprocess.Popen([sys.executable, __file__, "gone", "8"])
    resumed = subprocess.Popen([sys.executable, __file__, "resumed", "60"])
    run = eventually("the first run is paused", lambda: run_of("gone"), 60)
    gone.send_signal(signal.SIGKILL)
    gone.wait(10)
    other = eventually("the second run is paused", lambda: run_of("resumed"), 60)
    resume_flow_run(other["id"])

    eventually("the run fails", lambda: flow_run(run["id"])["state_type"] == "FAILED", 40)
    same(flow_run(run["id"])["state"]["message"], "The flow was paused and never resumed.", "why")
    same(flow_history(run["id"]), ["Pending", "Running", "Paused", "Failed"], "states")
    told = {"event": {"name": ["prefect.flow-run.Failed"]}, "resource": {"id": [f"prefect.flow-run.{run['id']}"]}}
    events(told, 1)
    answer = request("POST", f"/flow_runs/{run['id']}/resume", {})
    same(answer.body["status"], "ABORT", "a run that failed cannot be resumed")
    resumed.wait(40)
    same(flow_run(other["id"])["state_type"], "COMPLETED", "the run that was resumed in time")


if __name__ == "__main__":
    paused(sys.argv[1], int(sys.argv[2])) if len(sys.argv) > 1 else main()
