"""Futures and states pass between tasks and subflows, and the inputs of the subflow's task run keep the connection."""

from prefect import flow, task
from readback import flow_run, get, post, run_id, same, task_runs


@task
def produce() -> list[int]:
    return [1, 2, 3]


@task
def consume(numbers: list[int]) -> int:
    return sum(numbers)


@flow
def middle(numbers: list[int]) -> list[int]:
    return [number * 10 for number in numbers]


@flow
def returns_future() -> object:
    return produce.submit()


@flow
def outer() -> tuple[int, int]:
    produced = produce.submit()
    scaled = middle(produced, return_state=True)
    total = consume.submit(scaled)
    waited = middle([1], wait_for=[total])
    assert waited == [10]
    return total.result(), consume(returns_future())


state = outer(return_state=True)
same(state.result(), (60, 6), "result")
run = flow_run(run_id(state))
rows = task_runs(run["id"], 6)
same({row["state_type"] for row in rows}, {"COMPLETED"}, "states")
subflows = {
    row["parent_task_run_id"]: row
    for row in post("/flow_runs/filter", {"flow_runs": {"parent_flow_run_id": {"any_": [run["id"]]}}})
}
same(len(subflows), 3, "subflow runs")
tasks = {row["id"]: row for row in rows if row["id"] not in subflows}
mirrors = sorted((row for row in rows if row["id"] in subflows), key=lambda row: row["expected_start_time"])
produced = next(row for row in tasks.values() if row["name"].startswith("produce"))
consumed = sorted(
    (row for row in tasks.values() if row["name"].startswith("consume")), key=lambda row: row["start_time"]
)

same(flow_run(subflows[mirrors[0]["id"]]["id"])["state_type"], "COMPLETED", "the subflow with a future as parameter")
same(
    mirrors[0]["task_inputs"], {"numbers": [{"input_type": "task_run", "id": produced["id"]}]}, "inputs of the subflow"
)
wait_for = mirrors[1]["task_inputs"]["wait_for"]
same(wait_for, [{"input_type": "task_run", "id": consumed[0]["id"]}], "what the second subflow waits for")

nodes = {node["id"]: node for _, node in get(f"/flow_runs/{run['id']}/graph-v2")["nodes"]}
first = subflows[mirrors[0]["id"]]["id"]
same([one["id"] for one in nodes[first]["parents"]], [produced["id"]], "the subflow hangs below the task in the graph")
