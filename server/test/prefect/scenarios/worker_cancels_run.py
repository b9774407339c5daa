"""A run of a worker that is cancelled from outside ends at once, its process is gone, and the worker goes on."""
# scenario: quick, both databases, timeout 180 s

import os
import time

from prefect import flow
from prefect.variables import Variable
from readback import eventually, events, flow_history, get, post, request, same, unique
from workers import deploy, ended, make_pool, submit, worker


def on_cancellation(flow, flow_run, state) -> None:
    Variable.set(flow_run.name.replace("-", "_"), state.name)


@flow(on_cancellation=[on_cancellation])
def long(seconds: float) -> None:
    Variable.set(f"pid_of_{os.environ['PREFECT__FLOW_RUN_ID'].replace('-', '_')}", os.getpid())
    time.sleep(seconds)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    pool = unique("cancelling")
    pool_id = make_pool(pool)["id"]
    deployment_id = deploy(long, unique("long"), pool)
    with worker(pool):
        name = unique("cancelled")
        run_id = submit(deployment_id, name, parameters={"seconds": 100.0})
        path = f"/variables/name/pid_of_{run_id.replace('-', '_')}"
        process = eventually(
            "the run is running", lambda: (answer := request("GET", path)).status == 200 and answer.body["value"], 60
        )
        answer = post(f"/flow_runs/{run_id}/set_state", {"state": {"type": "CANCELLING"}})
        same((answer["status"], answer["state"]["name"]), ("ACCEPT", "Cancelling"), "cancelling")
        run = ended(run_id)
        same(run["state_type"], "CANCELLED", "the end of the run")
        same(flow_history(run_id)[-3:], ["Running", "Cancelling", "Cancelled"], "its states")
        eventually("the process is gone", lambda: not is_alive(process))
        same(get(f"/variables/name/{name.replace('-', '_')}")["value"], "Cancelling", "the hook ran")
        of_run = {"any_resource": {"id": [f"prefect.flow-run.{run_id}"]}}
        [told] = events({"event": {"name": ["prefect.flow-run.Cancelling"]}, **of_run}, 1)
        related = [one["prefect.resource.id"] for one in told["related"]]
        same(f"prefect.work-pool.{pool_id}" in related, True, "the event by which the worker learns of it")
        waiting = submit(deployment_id, "next", parameters={"seconds": 0.0})
        same(ended(waiting)["state_type"], "COMPLETED", "the next run of the worker")
