"""A client that takes the server for a hosted one sends its API key on websockets too, so task runs and events arrive."""
# Signalbox only: the reference server has no keys.
# scenario: quick, own server, SIGNALBOX_API_AUTH=key, timeout 120 s

from keys import call, key_of_admin, recorded_events, run_flow
from readback import URL, eventually, holds

key = key_of_admin()

run_flow(PREFECT_API_KEY=key, PREFECT_CLOUD_API_URL=URL)
eventually("its task runs", lambda: call(key, "POST", "/task_runs/count", {})[1] == 3)
eventually("its events", lambda: recorded_events(key) == {"flow-run", "task-run"})

_, runs = call(key, "POST", "/flow_runs/filter", {})
holds([run["state_type"] for run in runs] == ["COMPLETED"], f"it ended well: {runs!r:.500}")
