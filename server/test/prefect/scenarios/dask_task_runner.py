"""Tasks that a Dask cluster runs are recorded like others, with their order, failures and retries."""
# scenario: timeout 120 s, needs prefect_dask

import os

from prefect import flow, task
from prefect_dask import DaskTaskRunner
from readback import flow_run, run_id, same, states_of, task_history, task_runs


@task(task_run_name="square {number}")
def square(number: float) -> tuple[float, int]:
    return number * number, os.getpid()


@task
def total(squares: list[tuple[float, int]]) -> float:
    return sum(value for value, _ in squares)


@task(retries=1)
def broken() -> None:
    raise ValueError("on Dask")


@flow(task_runner=DaskTaskRunner(cluster_kwargs={"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}))
def on_dask() -> float:
    squares = square.map([1.0, 2.0, 3.0, 4.0])
    failed = broken.submit()
    failed.wait()
    return total.submit(squares).result()


if __name__ == "__main__":
    state = on_dask(return_state=True)
    same(state.result(), 30.0, "result")
    rows = task_runs(run_id(state), 6)
    same(states_of(rows), {"Completed": 5, "Failed": 1}, "states of the tasks")
    for row in rows:
        states = ["Pending", "Running", "Completed"]
        if row["name"].startswith("broken"):
            states = ["Pending", "Running", "Retrying", "Failed"]
        task_history(row["id"], states)
    same(flow_run(run_id(state))["state_type"], "COMPLETED", "the flow run")
