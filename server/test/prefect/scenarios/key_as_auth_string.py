"""A key is all that a client needs where the server asks for one, as its auth string, and task runs and events arrive."""
# Signalbox only: the reference server has no keys.
# scenario: own server, SIGNALBOX_API_AUTH=key, timeout 120 s

from keys import call, key_of_admin, recorded_events, run_flow
from readback import eventually, holds, same

key = key_of_admin()

same(call("sbx_wrong", "POST", "/flow_runs/filter", {})[0], 401, "nobody comes in without a key")

run_flow(PREFECT_API_AUTH_STRING=key)
eventually("its task runs", lambda: call(key, "POST", "/task_runs/count", {})[1] == 3)
eventually("its events", lambda: recorded_events(key) == {"flow-run", "task-run"})

run_flow(PREFECT_API_AUTH_STRING=f"any:{key}")
eventually("task runs of the second flow", lambda: call(key, "POST", "/task_runs/count", {})[1] == 6)

_, runs = call(key, "POST", "/flow_runs/filter", {})
holds([run["state_type"] for run in runs] == ["COMPLETED", "COMPLETED"], f"both ended well: {runs!r:.500}")
