"""A failed run of a worker that is set to run again is run by the next worker, and counts as its second run."""
# scenario: timeout 180 s

from prefect import flow
from prefect.variables import Variable
from readback import flow_history, post, same, unique
from workers import deploy, ended, make_pool, stop, submit, worker


@flow
def second_time_lucky(variable: str) -> str:
    if Variable.get(variable) != "repaired":
        raise ValueError("not yet")
    return "done"


if __name__ == "__main__":
    pool = unique("restarted")
    make_pool(pool)
    variable = unique("lucky").replace("-", "_")
    deployment_id = deploy(second_time_lucky, unique("lucky"), pool, parameters={"variable": variable})
    with worker(pool, "first") as first:
        run_id = submit(deployment_id, "again")
        same(ended(run_id)["state_type"], "FAILED", "the first run")
        stop(first)
        Variable.set(variable, "repaired")
        again = {"type": "SCHEDULED", "name": "AwaitingRetry", "message": "by hand"}
        answer = post(f"/flow_runs/{run_id}/set_state", {"state": again})
        same((answer["status"], answer["state"]["name"]), ("ACCEPT", "AwaitingRetry"), "run again")
        due = post(f"/work_pools/{pool}/get_scheduled_flow_runs")
        same([one["flow_run"]["id"] for one in due], [run_id], "what waits for a worker")
    with worker(pool, "second"):
        run = ended(run_id)
        same((run["state_type"], run["run_count"]), ("COMPLETED", 2), "the second run")
    history = [name for name in flow_history(run_id) if name not in ("InfrastructurePending", "Submitting")]
    expected = ["Scheduled", "Pending", "Running", "Failed", "AwaitingRetry", "Pending", "Running", "Completed"]
    same(history, expected, "states")
