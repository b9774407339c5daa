"""Flows and tasks that run into their timeout end as TimedOut, which is a failure."""

import asyncio
import time

from prefect import flow, task
from readback import by_task, flow_history, flow_run, holds, run_id, same, task_history, task_runs


@task(timeout_seconds=0.2)
def slow_task() -> None:
    for _ in range(100):
        time.sleep(0.02)


@task(timeout_seconds=60)
def quick_task() -> str:
    return "quick"


@task(timeout_seconds=0.1, retries=1)
async def slow_async_task() -> None:
    await asyncio.sleep(600)


@flow
def tolerant() -> str:
    slow_task(return_state=True)
    return quick_task()


@flow(timeout_seconds=0.3)
def slow_flow() -> None:
    for _ in range(100):
        time.sleep(0.02)


@flow
async def tolerant_async() -> str:
    await slow_async_task(return_state=True)
    return "went on"


@flow(timeout_seconds=0.3)
async def slow_async_flow() -> None:
    await asyncio.sleep(600)


run = run_id(tolerant(return_state=True))
same(flow_run(run)["state_name"], "Completed", "a flow that tolerates the timeout of a task")
rows = by_task(task_runs(run, 2))
same(rows["slow_task"]["state_type"], "FAILED", "type of the task's state")
same(rows["slow_task"]["state_name"], "TimedOut", "name of the task's state")
same(rows["quick_task"]["state_name"], "Completed", "a task that is quick enough")
task_history(rows["slow_task"]["id"], ["Pending", "Running", "TimedOut"])

run = flow_run(run_id(slow_flow(return_state=True)))
same((run["state_type"], run["state_name"]), ("FAILED", "TimedOut"), "state of the flow")
same(flow_history(run["id"]), ["Pending", "Running", "TimedOut"], "states of the flow")
holds("exceeded timeout of 0.3 second(s)" in run["state"]["message"], f"message: {run['state']['message']}")

run = flow_run(run_id(asyncio.run(slow_async_flow(return_state=True))))
same((run["state_type"], run["state_name"]), ("FAILED", "TimedOut"), "state of the asynchronous flow")

run = run_id(asyncio.run(tolerant_async(return_state=True)))
same(flow_run(run)["state_name"], "Completed", "an asynchronous flow that tolerates the timeout of a task")
rows = task_runs(run, 1)
task_history(rows[0]["id"], ["Pending", "Running", "Retrying", "TimedOut"])
