"""`prefect concurrency-limit` creates, shows, resets and deletes limits on tags, which are global limits too."""
# scenario: timeout 180 s

import json
import subprocess
import sys
import uuid

from readback import get, holds, post, request, same, unique

TAG = unique("cli-tag")


def limit(*arguments: str, fails: bool = False) -> str:
    command = [sys.executable, "-m", "prefect", "concurrency-limit", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    same(done.returncode != 0, fails, f"prefect concurrency-limit {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


holds("Created concurrency limit" in limit("create", TAG, "2"), "created")
same(get(f"/v2/concurrency_limits/tag:{TAG}")["limit"], 2, "the global limit behind it")
limit("create", TAG, "1")
inspected = json.loads(limit("inspect", TAG, "--output", "json"))
same((inspected["tag"], inspected["concurrency_limit"], inspected["active_slots"]), (TAG, 1, []), "changed")

# As older SDKs do it before a tagged task.
holder = str(uuid.uuid4())
taken = post("/concurrency_limits/increment", {"names": [TAG], "task_run_id": holder})
same([(one["name"], one["limit"]) for one in taken], [(TAG, 1)], "the slot is taken")
same(json.loads(limit("inspect", TAG, "--output", "json"))["active_slots"], [holder], "who holds it")
holds(holder in limit("inspect", TAG), "who holds it, drawn as a table")
other = {"names": [TAG], "task_run_id": str(uuid.uuid4())}
full = request("POST", "/concurrency_limits/increment", other)
same((full.status, float(full.headers["retry-after"])), (423, 10.0), "a full limit")
listed = [one for one in json.loads(limit("ls", "--output", "json")) if one["tag"] == TAG]
same([one["active_slots"] for one in listed], [[holder]], "in the list")

limit("reset", TAG)
same(get(f"/concurrency_limits/tag/{TAG}")["active_slots"], [], "after the reset")
limit("delete", TAG)
same(request("GET", f"/concurrency_limits/tag/{TAG}").status, 404, "deleted")
holds("No concurrency limit found" in limit("inspect", TAG, fails=True), "what is not there")
