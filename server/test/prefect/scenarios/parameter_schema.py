"""A deployment refuses runs whose parameters do not fit its flow, says why, and can be told not to."""

from typing import Literal

from prefect import flow
from prefect.client.orchestration import get_client
from prefect.exceptions import PrefectHTTPStatusError
from pydantic import BaseModel, Field
from readback import get, holds, patch, post, request, same, unique


class Size(BaseModel):
    width: int = Field(gt=0)
    unit: Literal["cm", "in"] = "cm"


@flow(name=unique("typed"))
def typed(count: int, size: Size, names: list[str] = [], note: str | None = None) -> None: ...


def main() -> None:
    deployment_id = str(typed.to_deployment("checked").apply())
    path = f"/deployments/{deployment_id}"
    same(get(path)["enforce_parameter_schema"], True, "enforced by default")
    with get_client(sync_client=True) as client:
        run = client.create_flow_run_from_deployment(deployment_id, parameters={"count": 1, "size": {"width": 2}})
        same(run.parameters, {"count": 1, "size": {"width": 2}}, "parameters that fit")
        refused = {
            "Validation failed. Failure reason: 'size' is a required property": {"count": 1},
            "Validation failed for field 'count'. Failure reason: 'x' is not of type 'integer'": {
                "count": "x",
                "size": {"width": 2},
            },
            "Validation failed for field 'size.unit'. Failure reason: 'mm' is not one of ['cm', 'in']": {
                "count": 1,
                "size": {"width": 2, "unit": "mm"},
            },
            "Validation failed for field 'size.width'. Failure reason: 0 is less than or equal to the minimum of 0": {
                "count": 1,
                "size": {"width": 0},
            },
            "Validation failed for field 'names[1]'. Failure reason: 5 is not of type 'string'": {
                "count": 1,
                "size": {"width": 2},
                "names": ["a", 5],
            },
        }
        for reason, parameters in refused.items():
            try:
                client.create_flow_run_from_deployment(deployment_id, parameters=parameters)
                holds(False, f"{parameters} is refused")
            except PrefectHTTPStatusError as error:
                detail = f"Error creating flow run: {reason}"
                same((error.response.status_code, error.response.json()["detail"]), (409, detail), "refusal")
    loose = {"parameters": {"count": "x"}, "enforce_parameter_schema": False}
    same(post(f"{path}/create_flow_run", loose)["parameters"], {"count": "x"}, "a run that is not checked")
    answer = request("PATCH", path, {"parameters": {"count": "x"}})
    same(answer.status, 409, "parameters of the deployment are checked too")
    patch(path, {"enforce_parameter_schema": False, "parameters": {"count": "x"}})
    same(post(f"{path}/create_flow_run", {})["parameters"], {"count": "x"}, "nothing is checked any more")


if __name__ == "__main__":
    main()
