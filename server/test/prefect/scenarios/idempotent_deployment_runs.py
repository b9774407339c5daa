"""Runs of a deployment that are asked for twice with one idempotency key are one run."""
# scenario: both databases

from deploying import deployment
from prefect.client.orchestration import get_client
from prefect.deployments import run_deployment
from readback import get, post, same, unique


def main() -> None:
    made = deployment(parameters={"a": 1}, tags=["of-deployment"])
    key = unique("key")
    with get_client(sync_client=True) as client:
        first = client.create_flow_run_from_deployment(made["id"], parameters={"b": 2.0}, idempotency_key=key)
        second = client.create_flow_run_from_deployment(made["id"], parameters={"b": 3.0}, idempotency_key=key)
        other = client.create_flow_run_from_deployment(made["id"], idempotency_key=key + "-other")
    same(second.id, first.id, "the same run")
    same(second.parameters, {"a": 1, "b": 2.0}, "as it was asked for first")
    same(other.id == first.id, False, "another key is another run")
    name = f"{get('/flows/' + made['flow_id'])['name']}/{made['name']}"
    runs = [run_deployment(name, timeout=0, idempotency_key=key + "-sdk", tags=["asked"]) for _ in range(2)]
    same(runs[0].id, runs[1].id, "run_deployment twice")
    same(sorted(runs[0].tags), ["asked", "of-deployment"], "tags")
    count = post("/flow_runs/count", {"deployments": {"id": {"any_": [made["id"]]}}})
    same(count, 3, "runs")


if __name__ == "__main__":
    main()
