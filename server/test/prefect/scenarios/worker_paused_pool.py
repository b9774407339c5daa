"""A paused pool and a paused queue hand out nothing, and what waited meanwhile runs once they are resumed."""
# scenario: timeout 180 s

import time

from command import prefect
from prefect import flow
from readback import eventually, flow_run, get, patch, post, same, unique
from workers import deploy, ended, make_pool, pool_status, submit, worker


@flow
def waiting() -> None: ...


if __name__ == "__main__":
    pool = unique("paused")
    make_pool(pool)
    post(f"/work_pools/{pool}/queues", {"name": "side"})
    main_id = deploy(waiting, unique("main"), pool)
    side_id = deploy(waiting, unique("side"), pool, work_queue_name="side")

    def handed_out() -> list[str]:
        return [one["flow_run"]["name"] for one in post(f"/work_pools/{pool}/get_scheduled_flow_runs")]

    with worker(pool):
        prefect("work-pool", "pause", pool)
        same(pool_status(pool), "PAUSED", "status of the paused pool")
        in_main, in_side = submit(main_id, "in-main"), submit(side_id, "in-side")
        same(handed_out(), [], "what a paused pool hands out")
        time.sleep(1)  # the worker looks every second
        same({flow_run(one)["state_type"] for one in (in_main, in_side)}, {"SCHEDULED"}, "runs of a paused pool")

        patch(f"/work_pools/{pool}/queues/side", {"is_paused": True})
        same(get(f"/work_pools/{pool}/queues/side")["status"], "PAUSED", "status of the paused queue")
        prefect("work-pool", "resume", pool)
        eventually("the pool is ready again", lambda: pool_status(pool) == "READY")
        same(ended(in_main)["state_type"], "COMPLETED", "the run of the pool that is resumed")
        same(handed_out(), [], "what is handed out of the paused queue")
        same(flow_run(in_side)["state_type"], "SCHEDULED", "the run of the queue that is still paused")

        patch(f"/work_pools/{pool}/queues/side", {"is_paused": False})
        same(ended(in_side)["state_type"], "COMPLETED", "the run of the queue that is resumed")
