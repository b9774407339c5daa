"""What a run can read about itself at run time is what the server says about it."""

from prefect import flow, runtime, tags, task
from prefect.context import get_run_context
from readback import flow_run, get, run_id, same, task_runs, unique

NAME = unique("introspective")


@task(task_run_name="look at {number}", tags=["inner"])
def look(number: int) -> dict[str, object]:
    return {
        "id": runtime.task_run.id,
        "name": runtime.task_run.name,
        "tags": sorted(runtime.task_run.tags),
        "parameters": runtime.task_run.parameters,
        "run_count": runtime.task_run.run_count,
        "task_name": runtime.task_run.task_name,
        "flow_run": runtime.flow_run.id,
        "context": str(get_run_context().task_run.id),
    }


@flow
def child() -> dict[str, object]:
    return {
        "id": runtime.flow_run.id,
        "parent": runtime.flow_run.parent_flow_run_id,
        "root": runtime.flow_run.root_flow_run_id,
    }


@flow(name=NAME, version="v7", flow_run_name="looks at itself")
def introspective(number: int = 3) -> dict[str, object]:
    own = runtime.flow_run
    return {
        "own": {
            "id": own.id,
            "name": own.name,
            "tags": own.tags,
            "parameters": own.parameters,
            "flow": own.flow_name,
            "version": own.flow_version,
            "run_count": own.run_count,
            "api": own.api_url,
            "parent": own.parent_flow_run_id,
            "root": own.root_flow_run_id,
            "start": own.scheduled_start_time.isoformat(),
        },
        "task": look(number),
        "child": child(),
    }


with tags("outer"):
    state = introspective(return_state=True)
seen = state.result()
run = flow_run(run_id(state))
own = seen["own"]
same(own["id"], run["id"], "id")
same((own["name"], run["name"]), ("looks at itself", "looks at itself"), "name")
same((own["tags"], run["tags"]), (["outer"], ["outer"]), "tags")
same((own["parameters"], run["parameters"]), ({"number": 3}, {"number": 3}), "parameters")
same((own["flow"], get(f"/flows/{run['flow_id']}")["name"]), (NAME, NAME), "flow")
same((own["version"], run["flow_version"]), ("v7", "v7"), "version of the flow")
same((own["run_count"], run["run_count"]), (1, 1), "run count")
same((own["parent"], own["root"]), (None, run["id"]), "a run on top is its own root")
same(own["start"][:19], run["expected_start_time"][:19], "scheduled start")
same(seen["child"]["parent"], run["id"], "the child knows its parent")
same(seen["child"]["root"], run["id"], "the child knows the root")
same(flow_run(seen["child"]["id"])["state_type"], "COMPLETED", "the child by its id")

row = next(row for row in task_runs(run["id"], 2) if row["id"] == seen["task"]["id"])
same(
    seen["task"],
    {
        "id": row["id"],
        "name": "look at 3",
        "tags": ["inner", "outer"],
        "parameters": {"number": 3},
        "run_count": 1,
        "task_name": "look",
        "flow_run": run["id"],
        "context": row["id"],
    },
    "what the task sees",
)
same((row["name"], sorted(row["tags"])), ("look at 3", ["inner", "outer"]), "what the server says of the task")
