"""An idempotency key gives one flow run however often it is sent, per flow, and that run can be executed later."""
# scenario: quick, both databases

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from prefect import flow
from prefect.client.orchestration import get_client
from prefect.flow_engine import run_flow
from readback import flow_history, get, holds, post, request, same, unique

KEY = unique("key")


@flow(name=unique("once"))
def once(number: int) -> int:
    return number


@flow(name=unique("other"))
def other(number: int) -> int:
    return number


with get_client(sync_client=True) as client:
    once_id, other_id = client.create_flow(once), client.create_flow(other)

    def create(number: int, key: str | None, flow_id: UUID = once_id):
        body = {
            "flow_id": str(flow_id),
            "idempotency_key": key,
            "parameters": {"number": number},
            "name": f"run {number}",
        }
        return request("POST", "/flow_runs/", body)

    first, second = create(1, KEY), create(2, KEY)
    same((first.status, second.status), (201, 200), "created once")
    run = second.body
    same((run["id"], run["name"], run["parameters"]), (first.body["id"], "run 1", {"number": 1}), "the same key again")
    same(get(f"/flow_runs/{run['id']}")["idempotency_key"], KEY, "the stored key")
    same(create(3, KEY, other_id).status, 201, "the same key of another flow")
    same(post("/flow_runs/count", {"flow_runs": {"idempotency_key": {"any_": [KEY]}}}), 2, "one for each flow")
    same(len({create(0, None).body["id"] for _ in range(3)}), 3, "without a key every request makes a run")

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: create(number, f"{KEY}-race"), range(16)))
    same(len({answer.body["id"] for answer in answers}), 1, "sixteen requests at once with one key")
    created = [answer.status for answer in answers].count(201)
    holds(created <= 1, f"at most one of them created the run (none when its answer was lost): {created}")

    deployment = client.create_deployment(once_id, "by hand", parameters={"number": 5})
    scheduled = [
        client.create_flow_run_from_deployment(deployment, idempotency_key=f"{KEY}-deployed") for _ in range(2)
    ]
    same(scheduled[0].id, scheduled[1].id, "runs of a deployment by the SDK")
    same(scheduled[0].parameters, {"number": 5}, "parameters of the deployment")

    same(run_flow(once, flow_run=client.read_flow_run(run["id"]), parameters={"number": 1}), 1, "it is executed later")
    same(flow_history(run["id"]), ["Pending", "Running", "Completed"], "its states")
    same(create(9, KEY).body["state_type"], "COMPLETED", "the key after the end")
