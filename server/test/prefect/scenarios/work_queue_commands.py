"""Work queues are made, shown, limited, paused, resumed, read and deleted with the CLI."""
# scenario: timeout 240 s

from command import prefect
from prefect import flow
from readback import get, request, same, unique
from workers import deploy, make_pool, submit


@flow
def queued() -> None: ...


if __name__ == "__main__":
    pool = unique("queues")
    make_pool(pool)
    queue = unique("queue")
    path = f"/work_pools/{pool}/queues/{queue}"
    of_pool = ("--pool", pool)
    prefect("work-queue", "create", queue, *of_pool, "--limit", "4", "--priority", "1")
    made = get(path)
    same((made["concurrency_limit"], made["priority"], made["work_pool_name"]), (4, 1, pool), "the queue")
    same(get(f"/work_pools/{pool}/queues/default")["priority"], 2, "the default queue made room")
    same(queue in prefect("work-queue", "ls", *of_pool), True, "listed")
    same(made["id"] in prefect("work-queue", "inspect", queue, *of_pool), True, "inspected")
    prefect("work-queue", "set-concurrency-limit", queue, "2", *of_pool)
    same(get(path)["concurrency_limit"], 2, "limited")
    prefect("work-queue", "clear-concurrency-limit", queue, *of_pool)
    same(get(path)["concurrency_limit"], None, "unlimited")
    prefect("work-queue", "pause", queue, *of_pool)
    same((get(path)["is_paused"], get(path)["status"]), (True, "PAUSED"), "paused")
    prefect("work-queue", "resume", queue, *of_pool)
    same((get(path)["is_paused"], get(path)["status"]), (False, "NOT_READY"), "resumed")

    deployment_id = deploy(queued, unique("queued"), pool, work_queue_name=queue)
    run_id = submit(deployment_id, "queued")
    same(run_id in prefect("work-queue", "preview", queue, *of_pool), True, "what is due")
    same(run_id in prefect("work-queue", "read-runs", queue, *of_pool), True, "its runs")
    same(get(path)["status"], "READY", "somebody asked for its runs")

    prefect("work-queue", "delete", queue, *of_pool)
    same(request("GET", path).status, 404, "deleted")
    run = get(f"/flow_runs/{run_id}")
    same((run["work_queue_id"], run["state_type"]), (None, "SCHEDULED"), "its run stays, without a queue")
