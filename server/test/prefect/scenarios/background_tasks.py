"""Tasks that are handed over with `delay` run in a task worker, each once; their results and failures come back."""
# scenario: quick, both databases, timeout 150 s

import os
import sys

from prefect import task
from prefect.task_worker import serve
from readback import eventually, get, post, same, task_history, unique
from workers import task_worker

# The task worker imports this file again, and must see the tasks under the same names.
MARK = os.environ.setdefault("BACKGROUND_MARK", unique("background"))


@task(name=f"{MARK} add")
def add(left: float, right: float) -> float:
    return left + right


@task(name=f"{MARK} broken")
def broken() -> None:
    raise ValueError("as told")


@task(name=f"{MARK} flaky", retries=2)
def flaky() -> int:
    from prefect.context import TaskRunContext

    count = TaskRunContext.get().task_run.run_count
    if count < 3:
        raise ValueError(f"run {count}")
    return count


def main() -> None:
    waiting = [add.delay(float(number), 1.0) for number in range(5)]
    same(get(f"/task_runs/{waiting[0].task_run_id}")["state_name"], "Scheduled", "before there is a task worker")
    with task_worker("serve", [add.task_key]):
        listed = post("/task_workers/filter", {"task_worker_filter": {"task_keys": [broken.task_key]}})
        same(len(listed), 1, "task workers of the task")
        same([future.result(timeout=30) for future in waiting], [1.0, 2.0, 3.0, 4.0, 5.0], "results")
        for future in waiting:
            task_history(future.task_run_id, ["Scheduled", "Pending", "Running", "Completed"])
        failing = broken.delay()
        failing.wait(30)
        path = f"/task_runs/{failing.task_run_id}"
        eventually("the failure is recorded", lambda: get(path)["state_name"] == "Failed")
        same(flaky.delay().result(timeout=30), 3, "the result after two retries")
        later = add.apply_async((1.0, 2.0))
        same(later.result(timeout=30), 3.0, "the result of apply_async")
        run = get(f"/task_runs/{later.task_run_id}")
        same((run["flow_run_id"], run["task_key"], run["run_count"]), (None, add.task_key, 1), "its task run")
    eventually(
        "no task worker is listed any more",
        lambda: post("/task_workers/filter", {"task_worker_filter": {"task_keys": [add.task_key]}}) == [],
    )


if __name__ == "__main__":
    serve(add, broken, flaky) if len(sys.argv) > 1 else main()
