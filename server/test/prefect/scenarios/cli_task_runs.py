"""`prefect task-run` lists and shows task runs, and prints their logs."""
# scenario: timeout 240 s

from command import prefect, prefect_json
from prefect import flow, get_run_logger, task
from readback import by_task, holds, logs, run_id, same, task_runs, unique

NAME = unique("shown").replace("-", "_")


@task(name=NAME, tags=["shown"])
def shown(number: int) -> int:
    get_run_logger().info("task line %d", number)
    return number


@task
def broken() -> None:
    raise ValueError("broken")


@flow
def parent() -> None:
    shown(1)
    broken(return_state=True)


run = run_id(parent(return_state=True))
rows = by_task(task_runs(run, 2))
row = rows[NAME]
listed = prefect_json("task-run", "ls", "--task-run-name", row["name"])
same([one["id"] for one in listed], [row["id"]], "task-run ls by name")
failed = prefect_json("task-run", "ls", "--state", "Failed", "--task-run-name", rows["broken"]["name"])
same([one["id"] for one in failed], [rows["broken"]["id"]], "task-run ls by state")

inspected = prefect_json("task-run", "inspect", row["id"])
same(
    (inspected["id"], inspected["flow_run_id"], inspected["tags"], inspected["state"]["type"]),
    (row["id"], run, ["shown"], "COMPLETED"),
    "task-run inspect",
)
logs(run, 1, task_run_id={"any_": [row["id"]]})
holds("task line 1" in prefect("task-run", "logs", row["id"]), "task-run logs")
unknown = "00000000-0000-4000-8000-000000000001"
holds("not found" in prefect("task-run", "inspect", unknown, fails=True), "an unknown task run")
