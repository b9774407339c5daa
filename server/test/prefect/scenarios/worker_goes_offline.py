"""A worker is seen online while it runs and offline when it is gone; its pool follows, with the events that say so."""
# scenario: both databases, timeout 180 s

from command import prefect
from readback import delete, eventually, events, get, post, same, unique
from workers import make_pool, pool_status, worker, worker_status


if __name__ == "__main__":
    pool = unique("seen")
    pool_id = make_pool(pool)["id"]
    with worker(pool, "seen", PREFECT_WORKER_HEARTBEAT_SECONDS="1") as running:
        same(pool_status(pool), "READY", "status of the pool with a worker")
        [found] = post(f"/work_pools/{pool}/workers/filter")
        same((found["name"], found["heartbeat_interval_seconds"]), ("seen", 1), "the worker")
        # A worker that is killed says no goodbye.
        running.kill()
        running.wait()
        eventually("the worker is offline", lambda: worker_status(pool, "seen") == "OFFLINE", 45)
        eventually("the pool is not ready", lambda: pool_status(pool) == "NOT_READY", 45)
    told = events({"resource": {"id": [f"prefect.work-pool.{pool_id}"]}}, 4)
    statuses = [one for one in told if one["event"].endswith("ready")]
    same(
        [one["event"].removeprefix("prefect.work-pool.") for one in statuses],
        ["not-ready", "ready", "not-ready"],
        "what is told of the pool",
    )
    # The first status is told with the pool's creation, and nothing follows that.
    same([one["follows"] for one in statuses], [None, None, statuses[1]["id"]], "the last follows the one before")
    same(post(f"/work_pools/{pool}/workers/filter", {"workers": {"status": {"any_": ["ONLINE"]}}}), [], "who is online")
    same("seen" in prefect("work-pool", "ls"), True, "the pool in the list of the CLI")
    delete(f"/work_pools/{pool}/workers/seen")
    same(worker_status(pool, "seen"), None, "the worker that was deleted")
    same(get(f"/work_pools/{pool}")["status"], "NOT_READY", "status of the pool without workers")
