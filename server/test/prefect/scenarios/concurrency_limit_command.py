"""`prefect concurrency-limit` creates, shows, resets and deletes limits on tags, which are global limits too."""
# scenario: timeout 180 s

import uuid

from command import prefect, prefect_json
from readback import get, holds, post, request, same, unique

TAG = unique("cli-tag")


def limit(*arguments: str, fails: bool = False) -> str:
    return prefect("concurrency-limit", *arguments, fails=fails)


holds("Created concurrency limit" in limit("create", TAG, "2"), "created")
same(get(f"/v2/concurrency_limits/tag:{TAG}")["limit"], 2, "the global limit behind it")
limit("create", TAG, "1")
inspected = prefect_json("concurrency-limit", "inspect", TAG)
same((inspected["tag"], inspected["concurrency_limit"], inspected["active_slots"]), (TAG, 1, []), "changed")

# As older SDKs do it before a tagged task.
holder = str(uuid.uuid4())
taken = post("/concurrency_limits/increment", {"names": [TAG], "task_run_id": holder})
same([(one["name"], one["limit"]) for one in taken], [(TAG, 1)], "the slot is taken")
same(prefect_json("concurrency-limit", "inspect", TAG)["active_slots"], [holder], "who holds it")
holds(holder in limit("inspect", TAG), "who holds it, drawn as a table")
other = {"names": [TAG], "task_run_id": str(uuid.uuid4())}
full = request("POST", "/concurrency_limits/increment", other)
same((full.status, float(full.headers["retry-after"])), (423, 10.0), "a full limit")
listed = [one for one in prefect_json("concurrency-limit", "ls") if one["tag"] == TAG]
same([one["active_slots"] for one in listed], [[holder]], "in the list")

limit("reset", TAG)
same(get(f"/concurrency_limits/tag/{TAG}")["active_slots"], [], "after the reset")
limit("delete", TAG)
same(request("GET", f"/concurrency_limits/tag/{TAG}").status, 404, "deleted")
holds("No concurrency limit found" in limit("inspect", TAG, fails=True), "what is not there")
