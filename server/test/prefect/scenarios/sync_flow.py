"""A synchronous flow with tasks, called as a function, is fully recorded: run, states, tasks, times and flow."""

# scenario: quick

from prefect import flow, task
from readback import (
    by_task,
    flow_history,
    flow_run,
    flow_states,
    get,
    holds,
    moment,
    run_id,
    same,
    task_history,
    task_runs,
    task_states,
    unique,
)

NAME = unique("sync flow")


@task(description="Adds one")
def increment(number: int) -> dict[str, int]:
    return {"number": number + 1}


@task(tags=["arithmetic"])
def double(values: dict[str, int]) -> int:
    return values["number"] * 2


@flow(name=NAME, description="Counts")
def count(start: int, step: int = 3) -> int:
    return double(increment(start)) + step


state = count(4, return_state=True)
same(state.result(), 13, "the flow's result")

run = flow_run(run_id(state))
same(run["state_type"], "COMPLETED", "state type")
same(run["state_name"], "Completed", "state name")
same(run["state"]["message"], None, "message of the end state")
same(run["parameters"], {"start": 4, "step": 3}, "parameters, with the default one")
same(run["tags"], [], "tags")
same(run["run_count"], 1, "run count")
same(run["deployment_id"], None, "deployment")
same(run["parent_task_run_id"], None, "parent")
same(run["empirical_policy"]["retries"], 0, "retries")
holds(run["name"].count("-") >= 1, f"a generated name: {run['name']}")
same(run["state_id"], run["state"]["id"], "state id")

same(flow_history(run["id"]), ["Pending", "Running", "Completed"], "state history")
pending, running, completed = (moment(one["timestamp"]) for one in flow_states(run["id"]))
holds(pending < running < completed, "states in the order of time")
same(moment(run["expected_start_time"]), pending, "expected start")
same(moment(run["start_time"]), running, "start")
same(moment(run["end_time"]), completed, "end")
holds(abs(run["total_run_time"] - (completed - running).total_seconds()) < 0.01, f"run time {run['total_run_time']}")
same([one["id"] for one in flow_states(run["id"])][-1], run["state_id"], "the last state is the current one")
same({one["state_details"]["flow_run_id"] for one in flow_states(run["id"])}, {run["id"]}, "states know their run")

stored_flow = get(f"/flows/{run['flow_id']}")
same(stored_flow["name"], NAME, "flow name")
same(get(f"/flows/name/{NAME}")["id"], run["flow_id"], "flow by name")

rows = by_task(task_runs(run["id"], 2))
same(sorted(rows), ["double", "increment"], "tasks")
for name, row in rows.items():
    same(row["flow_run_id"], run["id"], f"{name}: flow run")
    same(row["state_type"], "COMPLETED", f"{name}: state")
    same(row["run_count"], 1, f"{name}: run count")
    same(row["flow_run_run_count"], 1, f"{name}: run count of the flow run")
    task_history(row["id"], ["Pending", "Running", "Completed"])
    times = [moment(one["timestamp"]) for one in task_states(row["id"])]
    holds(times == sorted(times), f"{name}: states in the order of time")
    holds(moment(run["start_time"]) <= moment(row["start_time"]) <= moment(row["end_time"]), f"{name}: times")
    same(get(f"/task_runs/{row['id']}")["state_id"], row["state_id"], f"{name}: read by id")
same(rows["double"]["tags"], ["arithmetic"], "tags of a task")
holds(rows["increment"]["task_key"].startswith("increment-"), f"task key {rows['increment']['task_key']}")
same(rows["double"]["task_inputs"]["values"], [{"input_type": "task_run", "id": rows["increment"]["id"]}], "inputs")
same(rows["increment"]["task_inputs"]["number"], [], "inputs of the first task")

again = count(4, 5, return_state=True)
same(flow_run(run_id(again))["flow_id"], run["flow_id"], "the same flow for the second run")
same(flow_run(run_id(again))["parameters"], {"start": 4, "step": 5}, "parameters of the second run")
