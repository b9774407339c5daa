"""Work pools are made, shown, changed, paused, resumed, limited, looked ahead in and deleted with the CLI."""
# scenario: timeout 240 s

from datetime import datetime, timedelta, timezone

from command import prefect, prefect_json
from prefect import flow
from readback import get, same, unique
from workers import deploy, exists, submit


@flow
def ahead() -> None: ...


if __name__ == "__main__":
    pool = unique("commands")
    path = f"/work_pools/{pool}"
    same(pool in prefect("work-pool", "create", pool, "--type", "process"), True, "made")
    made = get(path)
    same((made["type"], made["is_paused"], made["concurrency_limit"]), ("process", False, None), "the pool")
    properties = made["base_job_template"]["variables"]["properties"]
    same({"command", "env", "working_dir"} <= set(properties), True, f"variables of its template: {list(properties)}")
    same("already exists" in prefect("work-pool", "create", pool, "--type", "process", fails=True), True, "made twice")
    same(pool in prefect("work-pool", "ls"), True, "listed")
    shown = prefect_json("work-pool", "inspect", pool)
    same((shown["id"], shown["name"]), (made["id"], pool), "inspected")
    prefect("work-pool", "update", pool, "--description", "größer", "--concurrency-limit", "3")
    same((get(path)["description"], get(path)["concurrency_limit"]), ("größer", 3), "updated")
    prefect("work-pool", "set-concurrency-limit", pool, "7")
    same(get(path)["concurrency_limit"], 7, "limited")
    prefect("work-pool", "clear-concurrency-limit", pool)
    same(get(path)["concurrency_limit"], None, "unlimited")
    prefect("work-pool", "pause", pool)
    same((get(path)["is_paused"], get(path)["status"]), (True, "PAUSED"), "paused")
    prefect("work-pool", "resume", pool)
    same((get(path)["is_paused"], get(path)["status"]), (False, "NOT_READY"), "resumed")

    later = (datetime.now(timezone.utc) + timedelta(hours=3)).isoformat()
    deployment_id = deploy(ahead, unique("ahead"), pool)
    run_id = submit(deployment_id, "ahead", state={"type": "SCHEDULED", "state_details": {"scheduled_time": later}})
    same(run_id in prefect("work-pool", "preview", pool, "--hours", "4"), True, "what is due")

    prefect("work-pool", "delete", pool)
    same(exists(path), False, "deleted")
    same("not found" in prefect("work-pool", "inspect", pool, fails=True), True, "shown when it is gone")
    same(get(f"/deployments/{deployment_id}")["work_pool_name"], None, "its deployment has no pool")
