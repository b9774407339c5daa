"""Ten runs of one flow at once in one process do not mix up their tasks, parameters, tags and logs."""
# scenario: both databases, timeout 120 s

import asyncio

from prefect import flow, get_run_logger, tags, task
from readback import get, logs, post, run_id, same, states_of, task_runs, unique

NAME = unique("concurrent")


@task(task_run_name="add {number}+{step}")
async def add(number: int, step: int) -> int:
    await asyncio.sleep(0.01)
    return number + step


@flow(name=NAME, flow_run_name="run {number}")
async def counting(number: int) -> int:
    get_run_logger().info("counting %d", number)
    for step in range(3):
        await add(number, step)
    return number


async def tagged(number: int):
    with tags(f"number-{number % 2}"):
        return await counting(number, return_state=True)


async def main() -> None:
    states = await asyncio.gather(*(tagged(number) for number in range(10)))
    same([await state.aresult() for state in states], list(range(10)), "results")
    for number, state in enumerate(states):
        run = get(f"/flow_runs/{run_id(state)}")
        same((run["name"], run["state_type"]), (f"run {number}", "COMPLETED"), "name and state")
        same(run["parameters"], {"number": number}, "parameters")
        same(run["tags"], [f"number-{number % 2}"], "tags")
        rows = task_runs(run["id"], 3)
        same([row["name"] for row in rows], [f"add {number}+{step}" for step in range(3)], "tasks")
        same(states_of(rows), {"Completed": 3}, "states of the tasks")
    for number in (0, 9):
        texts = [log["message"] for log in logs(run_id(states[number]), 1)]
        same([text for text in texts if text.startswith("counting ")], [f"counting {number}"], "its own logs")
    of_flow = {"flows": {"name": {"any_": [NAME]}}}
    same(post("/flow_runs/count", of_flow), 10, "runs of the flow")
    same(post("/flows/count", of_flow), 1, "one flow")
    odd = {**of_flow, "flow_runs": {"tags": {"all_": ["number-1"]}}, "sort": "NAME_ASC"}
    same([run["name"] for run in post("/flow_runs/filter", odd)], [f"run {n}" for n in (1, 3, 5, 7, 9)], "by tag")


asyncio.run(main())
