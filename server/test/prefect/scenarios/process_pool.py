"""Tasks in processes of their own are recorded like others, with their inputs, logs and failures."""

import os

from prefect import flow, get_run_logger, task
from prefect.task_runners import ProcessPoolTaskRunner
from readback import flow_run, logs, run_id, same, states_of, task_history, task_runs


@task(task_run_name="process {number}")
def in_process(number: int) -> tuple[int, int]:
    get_run_logger().info("number %d", number)
    return number, os.getpid()


@task
def broken() -> None:
    raise ValueError("in a process")


@flow(task_runner=ProcessPoolTaskRunner(max_workers=2))
def pooled() -> list[int]:
    futures = in_process.map(range(4))
    failed = broken.submit()
    failed.wait()
    results = futures.result()
    assert os.getpid() not in {process for _, process in results}
    return sum(number for number, _ in results)


if __name__ == "__main__":
    state = pooled(return_state=True)
    same(state.result(), 6, "result")
    run = flow_run(run_id(state))
    rows = task_runs(run["id"], 5)
    same(states_of(rows), {"Completed": 4, "Failed": 1}, "states of the tasks")
    for row in rows:
        end = "Failed" if row["name"].startswith("broken") else "Completed"
        task_history(row["id"], ["Pending", "Running", end])
    texts = [log["message"] for log in logs(run["id"], 10, task_run_id={"any_": [row["id"] for row in rows]})]
    same(sorted(text for text in texts if text.startswith("number ")), [f"number {n}" for n in range(4)], "logs")
