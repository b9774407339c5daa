"""Fifty mapped tasks give fifty task runs with their own inputs, and mapped tasks chain one to one."""

# scenario: quick

from prefect import flow, task, unmapped
from readback import get, run_id, same, states_of, task_history, task_runs


@task(task_run_name="square {number}")
def square(number: int) -> int:
    return number * number


@task(task_run_name="add {first} {second}")
def add(first: int, second: int, offset: list[int]) -> int:
    return first + second + offset[0]


@flow
def fifty() -> int:
    return sum(square.map(range(50)).result())


@flow
def chained() -> list[int]:
    squares = square.map([1, 2, 3])
    return add.map(squares, [10, 20, 30], offset=unmapped([100])).result()


state = fifty(return_state=True)
same(state.result(), 40425, "result")
rows = task_runs(run_id(state), 50)
same(states_of(rows), {"Completed": 50}, "task states")
same({row["name"] for row in rows}, {f"square {number}" for number in range(50)}, "names")
same(len({row["dynamic_key"] for row in rows}), 50, "different dynamic keys")
same(len({row["task_key"] for row in rows}), 1, "one task key")
task_history(rows[0]["id"], ["Pending", "Running", "Completed"])

state = chained(return_state=True)
same(state.result(), [111, 124, 139], "result of the chain")
rows = {row["name"]: row for row in task_runs(run_id(state), 6)}
same(
    sorted(rows),
    ["add 1 10", "add 4 20", "add 9 30", "square 1", "square 2", "square 3"],
    "names with values that came from other tasks",
)
for number, name in ((1, "add 1 10"), (2, "add 4 20"), (3, "add 9 30")):
    expected = [{"input_type": "task_run", "id": rows[f"square {number}"]["id"]}]
    # The client adds `__parents__` when it happens to submit from within another task's context.
    inputs = {key: value for key, value in rows[name]["task_inputs"].items() if key != "__parents__"}
    same(inputs, {"first": expected, "second": [], "offset": []}, f"inputs of {name}")
graph = get(f"/flow_runs/{run_id(state)}/graph-v2")
same(set(graph["root_node_ids"]), {rows[f"square {number}"]["id"] for number in (1, 2, 3)}, "roots of the graph")
