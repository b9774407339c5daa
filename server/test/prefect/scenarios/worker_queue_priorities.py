"""A worker with room for one run starts those of the urgent queue first, and in a queue the one that was due first."""
# scenario: both databases, timeout 180 s

from datetime import datetime, timedelta, timezone

from prefect import flow
from readback import flow_run, moment, post, same, unique
from workers import deploy, ended, make_pool, submit, worker


@flow
def queued() -> None: ...


if __name__ == "__main__":
    pool = unique("priorities")
    make_pool(pool)
    post(f"/work_pools/{pool}/queues", {"name": "urgent", "priority": 1})
    same(
        [(one["name"], one["priority"]) for one in post(f"/work_pools/{pool}/queues/filter")],
        [("urgent", 1), ("default", 2)],
        "the queues by priority",
    )
    usual = deploy(queued, unique("usual"), pool)
    urgent = deploy(queued, unique("urgent"), pool, work_queue_name="urgent")
    start = datetime.now(timezone.utc) - timedelta(minutes=5)

    def due(deployment_id: str, name: str, minutes: int) -> str:
        details = {"scheduled_time": (start + timedelta(minutes=minutes)).isoformat()}
        return submit(deployment_id, name, state={"type": "SCHEDULED", "state_details": details})

    runs = {
        "usual, second": due(usual, "u2", 2),
        "urgent, second": due(urgent, "a2", 3),
        "usual, first": due(usual, "u1", 0),
        "urgent, first": due(urgent, "a1", 1),
    }
    with worker(pool, "one at a time", "--limit", "1"):
        for run_id in runs.values():
            same(ended(run_id, 90)["state_type"], "COMPLETED", "a queued run")
    starts = sorted((moment(flow_run(run_id)["start_time"]), name) for name, run_id in runs.items())
    order = ["urgent, first", "urgent, second", "usual, first", "usual, second"]
    same([name for _, name in starts], order, "the order in which they ran")
