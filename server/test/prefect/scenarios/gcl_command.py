"""`prefect gcl` creates, shows, changes, switches off and on, and deletes global concurrency limits."""
# scenario: timeout 180 s

from command import prefect, prefect_json
from readback import get, holds, request, same, unique

NAME = unique("gcl")


def gcl(*arguments: str, fails: bool = False) -> str:
    return " ".join(prefect("gcl", *arguments, fails=fails).split())


created = gcl("create", NAME, "--limit", "3", "--active-slots", "1", "--slot-decay-per-second", "0.001")
limit = get(f"/v2/concurrency_limits/{NAME}")
holds(f"Created global concurrency limit with name '{NAME}'" in created and limit["id"] in created, created)
same((limit["limit"], limit["active_slots"], limit["slot_decay_per_second"]), (3, 1, 0.001), "the new limit")
holds("already exists" in gcl("create", NAME, "--limit", "1", fails=True), "a name is given once")

listed = prefect_json("gcl", "ls")
same([one["limit"] for one in listed if one["name"] == NAME], [3], "in the list")
inspected = prefect_json("gcl", "inspect", NAME)
same((inspected["id"], inspected["active"]), (limit["id"], True), "inspected")

gcl("update", NAME, "--limit", "10", "--active-slots", "4")
limit = get(f"/v2/concurrency_limits/{NAME}")
same((limit["limit"], limit["active_slots"]), (10, 4), "the changed limit")
gcl("disable", NAME)
same(get(f"/v2/concurrency_limits/{NAME}")["active"], False, "switched off")
holds("already disabled" in gcl("disable", NAME, fails=True), "switching off twice")
gcl("enable", NAME)
same(get(f"/v2/concurrency_limits/{NAME}")["active"], True, "switched on")

gcl("delete", NAME)
same(request("GET", f"/v2/concurrency_limits/{NAME}").status, 404, "deleted")
holds("not found" in gcl("inspect", NAME, fails=True), "what is not there")
