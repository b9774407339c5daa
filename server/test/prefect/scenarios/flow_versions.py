"""The version of a flow and of a task is kept with each run, and the flow is one over all its versions."""

from prefect import flow, task
from readback import flow_run, post, run_id, same, task_runs, unique

NAME = unique("versioned")


@task(version="t-1")
def versioned_task() -> None: ...


@flow(name=NAME, version="2026.1-rc.1")
def versioned() -> None:
    versioned_task()


@flow
def unversioned() -> None: ...


run = flow_run(run_id(versioned(return_state=True)))
same(run["flow_version"], "2026.1-rc.1", "version of the run")
same([row["task_version"] for row in task_runs(run["id"], 1)], ["t-1"], "version of the task run")
newer = flow_run(run_id(versioned.with_options(version="größer")(return_state=True)))
same((newer["flow_version"], newer["flow_id"]), ("größer", run["flow_id"]), "a newer version of the same flow")
same(
    len(flow_run(run_id(unversioned(return_state=True)))["flow_version"] or ""),
    32,
    "without a version: a hash of the file",
)
found = post(
    "/flow_runs/filter", {"flow_runs": {"flow_version": {"any_": ["2026.1-rc.1"]}}, "flows": {"name": {"any_": [NAME]}}}
)
same([one["id"] for one in found], [run["id"]], "runs of one version")
