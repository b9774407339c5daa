"""Deployments in scenarios: made over the API, the flows they run, and what their schedules made."""

import tempfile
from pathlib import Path
from typing import Any

from readback import post, unique


def folder_with_flow(name: str, body: str = "return text") -> Path:
    """A new folder with `flows.py`, which holds a flow `say` of this name with the parameters `text` and `times`."""
    folder = Path(tempfile.mkdtemp(prefix="scenario-"))
    (folder / "flows.py").write_text(
        "from prefect import flow\n\n\n"
        f'@flow(name="{name}", log_prints=True)\n'
        'def say(text: str = "nothing", times: int = 1) -> str:\n'
        '    print(f"says {text} {times} times")\n'
        f"    {body}\n"
    )
    return folder


def deployment(**given: Any) -> dict[str, Any]:
    """A new deployment over the API, of a new flow unless `flow_id` is given."""
    flow_id = given.pop("flow_id", None) or post("/flows/", {"name": unique("flow")})["id"]
    return post("/deployments/", {"name": unique("deployment"), "flow_id": flow_id, **given})


def scheduled(deployment_id: Any) -> list[dict[str, Any]]:
    """The runs of a deployment that wait for their time, the next first."""
    return post(
        "/flow_runs/filter",
        {
            "deployments": {"id": {"any_": [str(deployment_id)]}},
            "flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}},
            "sort": "NEXT_SCHEDULED_START_TIME_ASC",
        },
    )
