"""An asynchronous flow with asynchronous and synchronous tasks is recorded like a synchronous one."""

# scenario: quick

import asyncio

from prefect import flow, task
from readback import flow_history, flow_run, run_id, same, states_of, task_history, task_runs


@task
async def fetch(number: int) -> int:
    await asyncio.sleep(0.01)
    return number


@task
def total(numbers: list[int]) -> int:
    return sum(numbers)


@flow
async def gather() -> int:
    awaited = await asyncio.gather(*(fetch(number) for number in range(5)))
    submitted = [fetch.submit(number) for number in range(5)]
    numbers = awaited + [future.result() for future in submitted]
    return total(numbers)


@flow
async def stream():
    for number in range(3):
        yield await fetch(number)


async def main() -> None:
    state = await gather(return_state=True)
    # Old clients have one method for both kinds of callers.
    result = state.aresult() if hasattr(state, "aresult") else state.result(fetch=True)
    same(await result, 20, "result")
    run = flow_run(run_id(state))
    same(run["state_name"], "Completed", "state")
    same(flow_history(run["id"]), ["Pending", "Running", "Completed"], "state history")
    rows = task_runs(run["id"], 11)
    same(states_of(rows), {"Completed": 11}, "task states")
    for row in rows[:3]:
        task_history(row["id"], ["Pending", "Running", "Completed"])

    same([number async for number in stream()], [0, 1, 2], "what an asynchronous generator flow yields")


asyncio.run(main())
