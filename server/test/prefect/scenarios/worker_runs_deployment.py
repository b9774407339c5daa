"""A process worker runs a deployed flow: states, logs, tasks, parameters and events are those of any other run."""
# scenario: quick, timeout 120 s

from prefect import flow, get_run_logger, task
from readback import eventually, events, flow_history, get, logs, same, task_history, task_runs, unique
from workers import deploy, ended, make_pool, pool_status, submit, worker


@task
def double(number: float) -> float:
    return number * 2


@flow
def deployed(number: float, note: str = "none") -> float:
    get_run_logger().info("got %s", number)
    return double(number)


if __name__ == "__main__":
    pool = unique("pool")
    make_pool(pool)
    same(pool_status(pool), "NOT_READY", "status of the pool before there is a worker")
    deployment_id = deploy(deployed, unique("by worker"), pool, parameters={"number": 1.0}, tags=["deployed"])
    with worker(pool):
        same(pool_status(pool), "READY", "status of the pool")
        run = ended(submit(deployment_id, "by-worker", parameters={"note": "größer"}, tags=["asked"]))
        same(run["state_type"], "COMPLETED", "the end of the run")
        same(run["parameters"], {"number": 1.0, "note": "größer"}, "parameters")
        same(sorted(run["tags"]), ["asked", "deployed"], "tags")
        way = (run["deployment_id"], run["work_pool_name"], run["work_queue_name"])
        same(way, (deployment_id, pool, "default"), "how it came to the worker")
        same(bool(run["infrastructure_pid"]), True, "the process that ran it")
        history = flow_history(run["id"])
        same((history[:2], history[-2:]), (["Scheduled", "Pending"], ["Running", "Completed"]), f"states: {history}")
        [row] = task_runs(run["id"], 1)
        task_history(row["id"], ["Pending", "Running", "Completed"])
        eventually("its log", lambda: "got 1.0" in [log["message"] for log in logs(run["id"], 1)])
        of_run = {"any_resource": {"id": [f"prefect.flow-run.{run['id']}"]}}
        told = events({"event": {"prefix": ["prefect.worker"]}, **of_run}, 2)
        same(
            [one["event"] for one in told],
            ["prefect.worker.submitted-flow-run", "prefect.worker.executed-flow-run"],
            "what the worker tells of the run",
        )
        same(get(f"/deployments/{deployment_id}")["status"], "READY", "status of the deployment")
        same(get(f"/work_pools/{pool}/queues/default")["status"], "READY", "status of the queue")
