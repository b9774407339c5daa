"""A server that is restarted in the middle of a run loses nothing: the run goes on and everything is recorded."""
# scenario: quick, both databases, own server, alone, timeout 120 s

import threading
import time

from prefect import flow, get_run_logger, runtime, task
from prefect.client.orchestration import get_client
from prefect.variables import Variable
from readback import (
    eventually,
    control,
    flow_history,
    flow_run,
    get,
    logs,
    note,
    post,
    run_id,
    same,
    states_of,
    task_history,
    task_runs,
)


@task(task_run_name="{when} {number}")
def step(when: str, number: int) -> int:
    return number


@flow
def child() -> int:
    return step("child", 0) + 1


@flow
def interrupted() -> int:
    Variable.set("before_restart", {"kept": 1.0})
    total = sum(step.map("before", range(20)).result())
    # The SDK gives up its queue of events when the server ends within its very first connection: wait until that stands.
    eventually("the first task runs", lambda: post("/task_runs/count", {"flow_runs": {"id": {"any_": [str(runtime.flow_run.id)]}}}))
    restart = threading.Thread(target=control, args=("restart?signal=SIGTERM",))
    restart.start()
    stopped = time.monotonic()
    during = 0
    while restart.is_alive() and during < 500:
        step("during", during)
        during += 1
        restart.join(0.02)
    restart.join()
    # The SDK gives up the connection for its events after about eight seconds, and drops what it could not send.
    note(f"{during} tasks ran while the server was down and starting, for {time.monotonic() - stopped:.1f} s")
    get_run_logger().info("after the restart")
    total += sum(step.map("after", range(20)).result())
    return child() + total, during


with get_client(sync_client=True) as client:
    client.api_healthcheck()
state = interrupted(return_state=True)
total, during = state.result()
same(total, 381, "result")
run = flow_run(run_id(state))
same(run["state_type"], "COMPLETED", "state")
same(flow_history(run["id"]), ["Pending", "Running", "Completed"], "states")
rows = task_runs(run["id"], 41 + during, seconds=40)
same(states_of(rows), {"Completed": 41 + during}, "states of the tasks")
expected = [f"{when} {n}" for when, count in (("before", 20), ("during", during), ("after", 20)) for n in range(count)]
same(sorted(row["name"] for row in rows if not row["name"].startswith("child-")), sorted(expected), "every task once")
for row in rows:
    if row["name"].startswith("during"):
        task_history(row["id"], ["Pending", "Running", "Completed"])
same(get("/variables/name/before_restart")["value"], {"kept": 1.0}, "what was stored before the restart")
# Of what was logged before, the SDK drops what it tries to send while the server is down.
eventually("a log after the restart", lambda: "after the restart" in [log["message"] for log in logs(run["id"], 1)])
children = post("/flow_runs/filter", {"flow_runs": {"parent_flow_run_id": {"any_": [run["id"]]}}})
same([one["state_type"] for one in children], ["COMPLETED"], "the subflow after the restart")
