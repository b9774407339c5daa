"""A pool with room for one run never has two at a time, however many workers it has, and every run is run once."""
# scenario: both databases, timeout 180 s

import time

from prefect import flow
from readback import flow_history, flow_run, get, moment, post, same, unique
from workers import deploy, ended, make_pool, submit, worker


@flow
def limited() -> None:
    time.sleep(0.5)


if __name__ == "__main__":
    pool = unique("narrow")
    make_pool(pool, concurrency_limit=1)
    deployment_id = deploy(limited, unique("limited"), pool)
    runs = [submit(deployment_id, f"limited-{number}") for number in range(3)]
    with worker(pool, "one"), worker(pool, "two"):
        most = 0
        waiting = set(runs)
        deadline = time.monotonic() + 90
        while waiting and time.monotonic() < deadline:
            most = max(most, get(f"/work_pools/{pool}")["active_slots"])
            waiting = {one for one in waiting if flow_run(one)["state_type"] not in ("COMPLETED", "CRASHED", "FAILED")}
            time.sleep(0.1)
        for run_id in runs:
            same(ended(run_id)["state_type"], "COMPLETED", "a run of the narrow pool")
            same(flow_history(run_id).count("Running"), 1, "how often it ran")
    same(most, 1, "most runs at a time")
    spans = sorted((moment(run["start_time"]), moment(run["end_time"])) for run in map(flow_run, runs))
    for (_, end), (start, _) in zip(spans, spans[1:]):
        same(start >= end, True, "a run began after the one before had ended")
    same(post(f"/work_pools/{pool}/concurrency_status")["active_slots"], 0, "slots that are taken at the end")
