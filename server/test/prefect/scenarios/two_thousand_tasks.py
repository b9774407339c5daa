"""Two thousand mapped tasks of one flow are all recorded, each once and completed, soon after the flow's end."""
# scenario: both databases, alone, timeout 240 s

import time

from prefect import flow, task
from prefect.task_runners import ThreadPoolTaskRunner
from readback import flow_run, note, post, run_id, same, states_of, task_history, task_runs

COUNT = 2000


@task(task_run_name="square {number}")
def square(number: int) -> int:
    return number * number


@flow(task_runner=ThreadPoolTaskRunner(max_workers=16))
def squares() -> int:
    return sum(square.map(range(COUNT)).result())


started = time.monotonic()
state = squares(return_state=True)
ended = time.monotonic()
same(state.result(), sum(number * number for number in range(COUNT)), "result")
run = flow_run(run_id(state))
same(run["state_type"], "COMPLETED", "state")
rows = task_runs(run["id"], COUNT, seconds=120)
note(f"{COUNT} tasks ran for {ended - started:.1f} s and were all visible {time.monotonic() - ended:.1f} s later")
same(states_of(rows), {"Completed": COUNT}, "states")
same({row["name"] for row in rows}, {f"square {number}" for number in range(COUNT)}, "every task once")
same({row["run_count"] for row in rows}, {1}, "run counts")
for row in (rows[0], rows[COUNT // 2], rows[-1]):
    task_history(row["id"], ["Pending", "Running", "Completed"])
where = {"flow_runs": {"id": {"any_": [run["id"]]}}}
same(post("/task_runs/count", {**where, "task_runs": {"name": {"like_": "square 19"}}}), 111, "count by name")
