"""A flow pauses until a person gives an input; a wrong one is refused, and the right one reaches the flow."""
# scenario: quick, both databases

import json
import subprocess
import sys

from prefect import flow, pause_flow_run, resume_flow_run
from prefect.client.orchestration import get_client
from prefect.input import RunInput
from readback import eventually, flow_history, flow_run, get, holds, post, request, same, unique

NAME = sys.argv[1] if len(sys.argv) > 1 else unique("approval")


class Approval(RunInput):
    approved: bool
    limit: float
    comment: str = "none"


@flow(name=NAME)
def approval() -> str:
    answer = pause_flow_run(
        wait_for_input=Approval.with_initial_data(description="**May it go on?**", comment="default", limit=2.5),
        timeout=60,
        poll_interval=0.2,
    )
    return f"{answer.approved} {answer.limit!r} {answer.comment}"


if len(sys.argv) > 1:
    print(approval())
    sys.exit()

waiting = subprocess.Popen([sys.executable, __file__, NAME], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def paused() -> dict | None:
    found = post(
        "/flow_runs/filter",
        {
            "flows": {"name": {"any_": [NAME]}},
            "flow_runs": {"state": {"type": {"any_": ["PAUSED"]}}},
        },
    )
    return found[0] if found else None


run = eventually("the flow is paused", paused, 30)
same(run["state_name"], "Paused", "state")
details = run["state"]["state_details"]
holds(details["pause_timeout"] and details["pause_key"], "a pause has a timeout and a key")
same(details["pause_reschedule"], False, "the process waits for the input")
keyset = details["run_input_keyset"]
same(sorted(keyset), ["description", "response", "schema"], "keys of the input")


def described() -> bool:
    """The client tells the state first, and what it wants to know after that."""
    wanted = (keyset["schema"], keyset["description"])
    return all(request("GET", f"/flow_runs/{run['id']}/input/{key}").status == 200 for key in wanted)


eventually("the flow says what it waits for", described, 30)
same(get(f"/flow_runs/{run['id']}/input/{keyset['description']}"), "**May it go on?**", "description")
schema = get(f"/flow_runs/{run['id']}/input/{keyset['schema']}")
same(sorted(schema["properties"]), ["approved", "comment", "limit"], "schema")
same(schema["required"], ["approved"], "required fields")

refused = post(f"/flow_runs/{run['id']}/resume", {"run_input": {"approved": "perhaps", "limit": 1.0}})
same((refused["status"], refused["state"]["name"]), ("REJECT", "Paused"), "a wrong input")
holds(refused["details"]["reason"].startswith("Reason: "), f"reason: {refused['details']['reason']}")
same(flow_run(run["id"])["state_type"], "PAUSED", "state after the wrong input")

with get_client(sync_client=True) as client:
    accepted = client.resume_flow_run(run["id"], run_input={"approved": True, "limit": 3.0, "comment": "größer"})
same(accepted.status.value, "ACCEPT", "the right input")
output, problems = waiting.communicate(timeout=60)
same((waiting.returncode, output.strip()), (0, "True 3.0 größer"), f"what the flow got: {problems[-1500:]}")
run = flow_run(run["id"])
same(run["state_type"], "COMPLETED", "end state")
same(flow_history(run["id"]), ["Pending", "Running", "Paused", "Running", "Completed"], "states")
same(run["run_count"], 2, "the first resumption counts as a start, as on the reference server")
stored = request("GET", f"/flow_runs/{run['id']}/input/{keyset['response']}")
same(json.loads(stored.text), {"approved": True, "limit": 3.0, "comment": "größer"}, "the stored input")

try:
    resume_flow_run(run["id"])
    raise AssertionError("a run that is not paused was resumed")
except Exception as problem:
    holds("not paused" in str(problem) or type(problem).__name__ == "NotPausedError", f"refused by {problem!r}")
