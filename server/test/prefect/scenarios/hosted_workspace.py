"""The client signs in with a key as at a hosted server, runs flows in its workspace, and is refused once the key is revoked."""
# Signalbox only: the reference server has no people and no keys.
# scenario: quick, both databases, own server, timeout 180 s

from command import prefect
from keys import call, key_of_admin, recorded_events, run_flow
from readback import URL, eventually, holds, same

key = key_of_admin()
_, organizations = call(key, "GET", "/v0/organizations")
account = organizations["items"][0]
status, workspace = call(
    key, "POST", f"/v0/organizations/{account['id']}/workspaces", {"name": "Research", "handle": "research"}
)
same(status, 201, "a workspace is made")

cloud = {"PREFECT_CLOUD_API_URL": URL, "PREFECT_CLOUD_UI_URL": URL.removesuffix("/api"), "PREFECT_API_URL": ""}
prefect("cloud", "login", "--key", key, "--workspace", "default/research", **cloud)
listed = prefect("cloud", "workspace", "ls", **cloud)
holds("default/research" in listed and "default/default" in listed, f"the workspaces are listed: {listed}")
shown = prefect("profile", "inspect", **cloud)
holds(account["id"] in shown and workspace["id"] in shown, f"the profile names account and workspace: {shown}")
wrong = prefect("cloud", "login", "--key", "sbx_wrong", "--workspace", "default/research", fails=True, **cloud)
holds("sbx_wrong" not in wrong, "a refused key is not repeated")

base = f"/accounts/{account['id']}/workspaces/{workspace['id']}"
hosted = {"PREFECT_CLOUD_API_URL": URL, "PREFECT_API_URL": URL + base, "PREFECT_API_KEY": key}
run_flow(**hosted)
_, runs = call(key, "POST", f"{base}/flow_runs/filter", {})
same([run["state_type"] for run in runs], ["COMPLETED"], "the run is in the workspace")
eventually("its task runs", lambda: call(key, "POST", f"{base}/task_runs/count", {})[1] == 3)
eventually("its events", lambda: recorded_events(key, base) >= {"flow-run", "task-run"})
same(call(key, "POST", "/flow_runs/filter", {})[1], [], "and not in the default one")
holds("flow-with-key" in prefect("flow", "ls", **hosted), "the command line reads the workspace")

by_slugs = {**hosted, "PREFECT_API_URL": f"{URL}/accounts/default/workspaces/research"}
run_flow(**by_slugs)
eventually("task runs of the flow at the slugs", lambda: call(key, "POST", f"{base}/task_runs/count", {})[1] == 6)
holds("flow-with-key" in prefect("flow", "ls", **by_slugs), "the command line reads it by its slugs")

_, keys = call(key, "GET", "/v0/me/api-keys")
same(call(key, "DELETE", f"/v0/me/api-keys/{keys['items'][0]['id']}")[0], 204, "the key is revoked")
same(call(key, "POST", f"{base}/flow_runs/filter", {})[0], 401, "and refused at the next request")
prefect("flow", "ls", fails=True, **hosted)
