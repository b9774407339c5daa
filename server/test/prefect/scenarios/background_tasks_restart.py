"""Background tasks that wait for a task worker survive a killed server, and run once each when a worker comes."""
# scenario: both databases, own server, timeout 150 s
# The reference server keeps the queue in memory: it fails here, because runs that waited are never handed out.

import os
import sys

from prefect import task
from prefect.task_worker import serve
from readback import control, get, same, task_history, unique
from workers import task_worker

MARK = os.environ.setdefault("BACKGROUND_MARK", unique("kept"))


@task(name=f"{MARK} step")
def step(number: int) -> int:
    return number


def main() -> None:
    before = [step.delay(number) for number in range(5)]
    control("restart?signal=SIGKILL")
    after = [step.delay(number) for number in range(5, 8)]
    with task_worker("serve", [step.task_key]):
        same([future.result(timeout=40) for future in before + after], list(range(8)), "results")
        for future in before + after:
            task_history(future.task_run_id, ["Scheduled", "Pending", "Running", "Completed"])
        control("restart?signal=SIGTERM")
        last = step.delay(8)
        same(last.result(timeout=40), 8, "a task after the worker lost its connection")
        same(get(f"/task_runs/{last.task_run_id}")["run_count"], 1, "how often it ran")


if __name__ == "__main__":
    serve(step) if len(sys.argv) > 1 else main()
