"""Cancelling a run cancels the subflow runs and task runs that it left behind, as far down as they go."""
# scenario: both databases, timeout 200 s

import os
import signal
import subprocess
import sys
import time

from prefect import flow, task
from readback import eventually, flow_run, post, same, task_runs, unique

NAME = os.environ.setdefault("CANCELLED_FLOW_NAME", unique("cancelled"))


@task
def endless() -> None:
    time.sleep(600)


@flow(name=f"{NAME}-grandchild")
def grandchild() -> None:
    endless()


@flow(name=f"{NAME}-child")
def child() -> None:
    grandchild()


@flow(name=NAME)
def parent() -> None:
    child()


def run_of(name: str):
    found = post("/flow_runs/filter", {"flows": {"name": {"any_": [name]}}})
    return found[0] if found and found[0]["state_type"] == "RUNNING" else None


def main() -> None:
    process = subprocess.Popen([sys.executable, __file__, "run"])
    runs = [eventually(name, lambda: run_of(name), 60) for name in (NAME, f"{NAME}-child", f"{NAME}-grandchild")]
    [task_run] = task_runs(runs[2]["id"], 1, unfinished=1)
    # A process that is killed reports nothing of what it started.
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    answer = post(f"/flow_runs/{runs[0]['id']}/set_state", {"state": {"type": "CANCELLED"}})
    same(answer["status"], "ACCEPT", "cancelled")
    # The server looks every 20 seconds, one level deeper each time.
    for run in runs[1:]:
        eventually(f"{run['name']} is cancelled", lambda: flow_run(run["id"])["state_type"] == "CANCELLED", 70)
        same(flow_run(run["id"])["state"]["message"], "The parent flow run was cancelled.", "why")
    mine = {"task_runs": {"id": {"any_": [task_run["id"]]}}}
    eventually("its task is cancelled", lambda: post("/task_runs/filter", mine)[0]["state_type"] == "CANCELLED", 70)


if __name__ == "__main__":
    parent() if len(sys.argv) > 1 else main()
