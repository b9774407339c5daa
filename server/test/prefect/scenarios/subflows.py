"""Subflows, nested and failing ones too, are runs of their own below a task run that mirrors their state."""
# scenario: quick, both databases

import asyncio

from prefect import flow, task
from readback import (
    flow_history,
    flow_run,
    get,
    holds,
    post,
    run_id,
    same,
    task_history,
    task_runs,
    unique,
)

CHILD, GRANDCHILD, FAILING = unique("child"), unique("grandchild"), unique("failing child")


@task
def leaf() -> int:
    return 1


@flow(name=GRANDCHILD)
def grandchild(depth: int) -> int:
    return leaf() + depth


@flow(name=CHILD)
def child(depth: int) -> int:
    return grandchild(depth + 1)


@flow(name=FAILING)
def failing() -> None:
    raise ValueError("the child is broken")


@flow
def parent() -> int:
    value = child(1)
    failing(return_state=True)
    return value


@flow
async def async_child(number: int) -> int:
    return number


@flow
async def async_parent() -> int:
    return sum(await asyncio.gather(*(async_child(number) for number in range(3))))


def children(flow_run_id: str) -> dict[str, dict]:
    """The subflow runs of a flow run, by the name of their flow."""
    found = post("/flow_runs/filter", {"flow_runs": {"parent_flow_run_id": {"any_": [flow_run_id]}}})
    return {get(f"/flows/{run['flow_id']}")["name"]: run for run in found}


state = parent(return_state=True)
same(state.result(), 3, "result")
run = flow_run(run_id(state))
same(run["state_name"], "Completed", "state of the parent")
found = children(run["id"])
same(set(found), {CHILD, FAILING}, "children of the parent, without the grandchild")
same(found[CHILD]["state_type"], "COMPLETED", "state of the child")
same(found[CHILD]["parameters"], {"depth": 1}, "parameters of the child")
same(found[FAILING]["state_type"], "FAILED", "state of the failing child")
same(flow_history(found[FAILING]["id"]), ["Pending", "Running", "Failed"], "states of the failing child")

mirrors = {row["id"]: row for row in task_runs(run["id"], 2)}
for name, end in ((CHILD, "Completed"), (FAILING, "Failed")):
    mirror = mirrors[found[name]["parent_task_run_id"]]
    same(mirror["state_name"], end, f"{name}: state of the task run that stands for it")
    same(mirror["state"]["state_details"]["child_flow_run_id"], found[name]["id"], f"{name}: child in the state")
    # Pending twice: the client creates the task run so, and the child's first state is mirrored.
    task_history(mirror["id"], ["Pending", "Pending", "Running", end])
    same(found[name]["state"]["state_details"]["task_run_id"], mirror["id"], f"{name}: task run in the flow's state")
holds("the child is broken" in found[FAILING]["state"]["message"], "message of the failing child")

below = children(found[CHILD]["id"])
same(set(below), {GRANDCHILD}, "children of the child")
same(below[GRANDCHILD]["parameters"], {"depth": 2}, "parameters of the grandchild")
same([row["name"].rpartition("-")[0] for row in task_runs(below[GRANDCHILD]["id"], 1)], ["leaf"], "the leaf")
top = post(
    "/flow_runs/filter",
    {"flow_runs": {"id": {"any_": [run["id"], found[CHILD]["id"]]}, "parent_task_run_id": {"is_null_": True}}},
)
same([one["id"] for one in top], [run["id"]], "runs without a parent")

nodes = dict(get(f"/flow_runs/{run['id']}/graph-v2")["nodes"])
same({node["kind"] for node in nodes.values()}, {"flow-run"}, "subflows are flow runs in the graph")
same({node["id"] for node in nodes.values()}, {found[CHILD]["id"], found[FAILING]["id"]}, "nodes")
labels = {node["label"] for node in nodes.values()}
same(labels, {f"{name} / {found[name]['name']}" for name in (CHILD, FAILING)}, "labels in the graph")

state = asyncio.run(async_parent(return_state=True))
rows = post("/flow_runs/filter", {"flow_runs": {"parent_flow_run_id": {"any_": [run_id(state)]}}})
same([row["state_type"] for row in rows], ["COMPLETED"] * 3, "concurrent asynchronous subflows")
same(len({row["parent_task_run_id"] for row in rows}), 3, "each with a task run of its own")
task_runs(run_id(state), 3)
