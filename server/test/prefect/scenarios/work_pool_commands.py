"""Work pools are made, shown, changed, paused, resumed, limited, looked ahead in and deleted with the CLI."""
# scenario: timeout 240 s

import json
from datetime import datetime, timedelta, timezone

from prefect import flow
from readback import get, same, unique
from workers import cli, deploy, exists, submit


@flow
def ahead() -> None: ...


if __name__ == "__main__":
    pool = unique("commands")
    path = f"/work_pools/{pool}"
    same(pool in cli("work-pool", "create", pool, "--type", "process"), True, "made")
    made = get(path)
    same((made["type"], made["is_paused"], made["concurrency_limit"]), ("process", False, None), "the pool")
    properties = made["base_job_template"]["variables"]["properties"]
    same({"command", "env", "working_dir"} <= set(properties), True, f"variables of its template: {list(properties)}")
    same("already exists" in cli("work-pool", "create", pool, "--type", "process", code=1), True, "made twice")
    same(pool in cli("work-pool", "ls"), True, "listed")
    shown = json.loads(cli("work-pool", "inspect", pool, "--output", "json"))
    same((shown["id"], shown["name"]), (made["id"], pool), "inspected")
    cli("work-pool", "update", pool, "--description", "größer", "--concurrency-limit", "3")
    same((get(path)["description"], get(path)["concurrency_limit"]), ("größer", 3), "updated")
    cli("work-pool", "set-concurrency-limit", pool, "7")
    same(get(path)["concurrency_limit"], 7, "limited")
    cli("work-pool", "clear-concurrency-limit", pool)
    same(get(path)["concurrency_limit"], None, "unlimited")
    cli("work-pool", "pause", pool)
    same((get(path)["is_paused"], get(path)["status"]), (True, "PAUSED"), "paused")
    cli("work-pool", "resume", pool)
    same((get(path)["is_paused"], get(path)["status"]), (False, "NOT_READY"), "resumed")

    later = (datetime.now(timezone.utc) + timedelta(hours=3)).isoformat()
    deployment_id = deploy(ahead, unique("ahead"), pool)
    run_id = submit(deployment_id, "ahead", state={"type": "SCHEDULED", "state_details": {"scheduled_time": later}})
    same(run_id in cli("work-pool", "preview", pool, "--hours", "4"), True, "what is due")

    cli("work-pool", "delete", pool)
    same(exists(path), False, "deleted")
    same("not found" in cli("work-pool", "inspect", pool, code=1), True, "shown when it is gone")
    same(get(f"/deployments/{deployment_id}")["work_pool_name"], None, "its deployment has no pool")
