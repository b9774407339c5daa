"""`prefect flow` and `prefect flow-run` list, show and delete runs, and print their logs."""
# scenario: quick, timeout 240 s

from command import prefect, prefect_json
from prefect import flow, get_run_logger
from readback import flow_run, holds, logs, request, run_id, same, unique

NAME = unique("listed")


@flow(name=NAME, flow_run_name=f"{NAME}-run")
def listed(fails: bool) -> None:
    for number in range(3):
        get_run_logger().info("line %d", number)
    if fails:
        raise ValueError("asked to fail")


good, bad = (run_id(listed(fails, return_state=True)) for fails in (False, True))
logs(good, 5)

flows = prefect_json("flow", "ls", "--limit", "200")
same([one["name"] for one in flows if one["name"] == NAME], [NAME], "flow ls")
runs = prefect_json("flow-run", "ls", "--flow-name", NAME)
same(sorted(one["id"] for one in runs), sorted([good, bad]), "flow-run ls")
failed = prefect_json("flow-run", "ls", "--flow-name", NAME, "--state", "Failed")
same([one["id"] for one in failed], [bad], "flow-run ls with a state")
completed = prefect_json("flow-run", "ls", "--flow-name", NAME, "--state-type", "COMPLETED")
same([one["id"] for one in completed], [good], "flow-run ls with a type of state")

shown = prefect_json("flow-run", "inspect", good)
same((shown["id"], shown["name"], shown["parameters"]), (good, f"{NAME}-run", {"fails": False}), "flow-run inspect")
same(shown["state"]["type"], flow_run(good)["state_type"], "its state")

printed = prefect("flow-run", "logs", good)
holds(printed.index("line 0") < printed.index("line 1") < printed.index("line 2"), "flow-run logs in order")
printed = prefect("flow-run", "logs", good, "--reverse")
holds(printed.index("line 2") < printed.index("line 0"), "flow-run logs in reverse")
holds("line 2" not in prefect("flow-run", "logs", good, "--head", "-n", "1"), "the first log only")

prefect("--no-prompt", "flow-run", "delete", good)
same(request("GET", f"/flow_runs/{good}").status, 404, "the deleted run")
holds("not found" in prefect("--no-prompt", "flow-run", "delete", good, fails=True), "deleting it again")
holds("not found" in prefect("flow-run", "inspect", good, fails=True), "inspecting it")
same(flow_run(bad)["state_type"], "FAILED", "the other run stays")
