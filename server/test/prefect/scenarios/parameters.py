"""Parameters of every kind come back exactly: kinds of numbers, key order, models, dates, large and unicode ones."""
# scenario: both databases

import datetime
import enum
import json
from typing import Optional
from uuid import UUID

from prefect import flow
from prefect.client.orchestration import get_client
from pydantic import BaseModel
from readback import flow_run, get, holds, request, run_id, same


class Colour(enum.Enum):
    RED = "red"


class Point(BaseModel):
    x: float
    y: float = 0.0


class Order(BaseModel):
    points: list[Point]
    due: datetime.datetime
    note: Optional[str] = None


@flow
def typed(order: Order, day: datetime.date, wait: datetime.timedelta, colour: Colour, reference: UUID) -> float:
    assert isinstance(order.points[0], Point) and isinstance(day, datetime.date) and colour is Colour.RED
    return order.points[0].x


@flow
def anything(value: object = None) -> object:
    return value


@flow
def many(*numbers: int, **options: object) -> int:
    return len(numbers) + len(options)


@flow
def converts(number: int, ratio: float, flag: bool = True) -> list:
    return [number, ratio, flag]


REFERENCE = UUID("5dc3d84d-519d-425c-a0fa-96b7fa39bd05")
state = typed(
    Order(
        points=[Point(x=1), Point(x=2.5, y=-1)],
        due=datetime.datetime(2026, 2, 28, 23, 59, tzinfo=datetime.timezone.utc),
    ),
    datetime.date(2024, 2, 29),
    datetime.timedelta(hours=1, milliseconds=500),
    Colour.RED,
    REFERENCE,
    return_state=True,
)
same(state.result(), 1.0, "result")
stored = flow_run(run_id(state))["parameters"]
same(
    stored["order"],
    {
        "points": [{"x": 1.0, "y": 0.0}, {"x": 2.5, "y": -1.0}],
        "due": "2026-02-28T23:59:00Z",
        "note": None,
    },
    "a model",
)
same(stored["day"], "2024-02-29", "a date")
same(stored["colour"], "red", "an enum")
same(stored["reference"], str(REFERENCE), "a UUID")
holds(stored["wait"] in (3600.5, "PT1H0.5S"), f"a duration: {stored['wait']!r}")

VALUES = [
    1,
    1.0,
    -0.0,
    0.1,
    1e100,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
    True,
    False,
    None,
    "",
    "1.0",
    "null",
    [],
    {},
    'ümläut 漢字 𝄞 \u2028 " \\ \t',
    [1, 1.0, [1.0, {"a": 1}]],
    {"z": 1, "a": 1.0, "10": 0, "9": 0, "": 1, "ключ": [None]},
    {"$ref": "#/definitions/x", "__prefect_kind": "none"},
    "{{ not a template }}",
    "x" * 100_000,
    list(range(2000)),
]
with get_client(sync_client=True) as client:
    for value in VALUES:
        run = client.create_flow_run(anything, parameters={"value": value})
        same(flow_run(run.id)["parameters"], {"value": value}, f"parameter {value!r:.60}")
        same(client.read_flow_run(run.id).parameters, {"value": value}, f"parameter {value!r:.60} read by the SDK")
    ordered = {"z": 1, "b": {"y": 1, "a": 2}, "a": 3, "2": 4, "10": 5}
    run = client.create_flow_run(anything, parameters=ordered)
    text = request("GET", f"/flow_runs/{run.id}").body["parameters"]
    same(json.dumps(text), json.dumps(ordered), "order of the keys")

state = many(1, 2, 3, a=None, ß=[1.0], return_state=True)
same(state.result(), 5, "result with a variable number of parameters")
same(flow_run(run_id(state))["parameters"], {"numbers": [1, 2, 3], "options": {"a": None, "ß": [1.0]}}, "all of them")

state = converts("7", 1, return_state=True)
same(state.result(), [7, 1.0, True], "converted parameters")
same(flow_run(run_id(state))["parameters"], {"number": "7", "ratio": 1, "flag": True}, "stored as they were given")

failed = converts("seven", 1.0, return_state=True)
run = flow_run(run_id(failed))
same(run["state_type"], "FAILED", "a parameter of a wrong kind")
holds("Validation of flow parameters failed" in run["state"]["message"], run["state"]["message"])

almost = "x" * (512 * 1024 - 100)
flow_id = run["flow_id"]
answer = request("POST", "/flow_runs/", {"flow_id": flow_id, "parameters": {"value": almost}})
same(answer.status, 201, "parameters just below the limit")
same(get(f"/flow_runs/{answer.body['id']}")["parameters"]["value"] == almost, True, "large parameters")
answer = request("POST", "/flow_runs/", {"flow_id": flow_id, "parameters": {"value": almost + "x" * 200}})
same(answer.status, 422, "parameters above the limit")
