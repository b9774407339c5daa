"""A flow whose key signs its requests and not its websockets ends well, and its page says which variable its tasks need."""
# Signalbox only: the reference server has no keys.
# scenario: own server, SIGNALBOX_API_AUTH=key, timeout 120 s

from keys import call, key_of_admin, run_flow
from readback import eventually, same

key = key_of_admin()


def newest_view():
    _, runs = call(key, "POST", "/flow_runs/filter", {"sort": "EXPECTED_START_TIME_DESC", "limit": 1})
    status, view = call(key, "GET", f"/views/flow_runs/{runs[0]['id']}")
    same(status, 200, "the page of the run")
    same(view["flow_run"]["state_type"], "COMPLETED", "the run ends well")
    return view


run_flow(PREFECT_API_KEY=key)
lost = eventually("the task runs are missed", lambda: newest_view()["unrecorded_tasks"], seconds=40)
same(lost["count"], 3, "task runs that the logs name")
same("set PREFECT_API_AUTH_STRING to the API key" in " ".join(lost["cures"]), True, f"the cure of /api: {lost!r}")

run_flow(PREFECT_API_AUTH_STRING=key)
eventually("its task runs", lambda: sum(state["count"] for state in newest_view()["task_runs"]) == 3)
same(newest_view()["unrecorded_tasks"], None, "nothing is missed")
