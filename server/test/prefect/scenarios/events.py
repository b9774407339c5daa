"""Events that flows emit, and those of their states, can be queried and are streamed while they happen."""
# scenario: quick, both databases, timeout 120 s

import asyncio
import datetime

from prefect import flow, task
from prefect.events import Event, emit_event
from prefect.events.clients import get_events_subscriber
from prefect.events.filters import EventFilter, EventNameFilter, EventOccurredFilter, EventResourceFilter
from readback import (
    events,
    flow_run,
    flow_states,
    holds,
    moment,
    names,
    post,
    run_id,
    same,
    task_runs,
    task_states,
    unique,
)

MARK = unique("event")
RESOURCE = f"shop.{MARK}"


@task
def sell(number: int) -> None:
    emit_event(
        event=f"{MARK}.sold",
        resource={
            "prefect.resource.id": f"{RESOURCE}.{number}",
            "prefect.resource.name": f"Größe {number}",
            "colour": "red",
        },
        related=[
            {"prefect.resource.id": f"{RESOURCE}.customer", "prefect.resource.role": "customer", "city": "Zürich"}
        ],
        payload={"price": 1.0, "count": 1, "large": 2**60, "nested": [{"ü": None}]},
    )


@flow
def shop() -> None:
    for number in range(3):
        sell(number)
    first = emit_event(event=f"{MARK}.opened", resource={"prefect.resource.id": RESOURCE})
    emit_event(event=f"{MARK}.closed", resource={"prefect.resource.id": RESOURCE}, follows=first)


@flow
async def streamed() -> None:
    emit_event(event=f"{MARK}.streamed", resource={"prefect.resource.id": RESOURCE}, payload={"number": 1.0})


async def stream() -> None:
    now = datetime.datetime.now(datetime.timezone.utc)
    wanted = EventFilter(
        event=EventNameFilter(name=[f"{MARK}.streamed"]),
        resource=EventResourceFilter(id=[RESOURCE]),
        occurred=EventOccurredFilter(since=now, until=now + datetime.timedelta(days=1)),
    )

    async def first(subscriber) -> Event:
        async for event in subscriber:
            return event
        raise AssertionError("the stream ended without the event")

    async with get_events_subscriber(filter=wanted) as subscriber:
        state = await streamed(return_state=True)
        event = await asyncio.wait_for(first(subscriber), 20)
    same((event.event, event.resource.id), (f"{MARK}.streamed", RESOURCE), "the streamed event")
    same(event.payload, {"number": 1.0}, "its payload")
    runs = [one.id for one in event.related if one.role == "flow-run"]
    same(runs, [f"prefect.flow-run.{run_id(state)}"], "its flow run")


asyncio.run(stream())

run = flow_run(run_id(shop(return_state=True)))
rows = task_runs(run["id"], 3)
sold = events({"event": {"name": [f"{MARK}.sold"]}}, 3)
same(
    [event["resource"]["prefect.resource.id"] for event in sold], [f"{RESOURCE}.{n}" for n in range(3)], "three events"
)
same(sold[0]["payload"], {"price": 1.0, "count": 1, "large": 2**60, "nested": [{"ü": None}]}, "payload")
same((sold[0]["resource"]["colour"], sold[0]["resource"]["prefect.resource.name"]), ("red", "Größe 0"), "labels")
roles = {one["prefect.resource.role"]: one for one in sold[0]["related"]}
same(roles["customer"]["city"], "Zürich", "a related resource")
same(roles["flow-run"]["prefect.resource.id"], f"prefect.flow-run.{run['id']}", "the flow run that emitted it")
same(roles["flow"]["prefect.resource.id"], f"prefect.flow.{run['flow_id']}", "its flow")
same(
    roles["task-run"]["prefect.resource.id"].removeprefix("prefect.task-run.") in {row["id"] for row in rows},
    True,
    "its task run",
)
holds(moment(sold[0]["received"]), "when it was received")

closed = events({"event": {"name": [f"{MARK}.closed"]}}, 1)[0]
opened = events({"event": {"name": [f"{MARK}.opened"]}}, 1)[0]
same(closed["follows"], opened["id"], "an event that follows another one")
same(
    [event["event"] for event in events({"event": {"prefix": [f"{MARK}."]}, "resource": {"id": [RESOURCE]}}, 3)],
    [f"{MARK}.streamed", f"{MARK}.opened", f"{MARK}.closed"],
    "by prefix and resource, in order",
)
same(len(events({"any_resource": {"id": [f"{RESOURCE}.customer"]}}, 3)), 3, "by a related resource")
same(len(events({"resource": {"id_prefix": [RESOURCE], "labels": {"colour": ["re*"]}}}, 3)), 3, "by a label")
same(
    len(
        events(
            {"related": {"labels": {"city": "Zürich"}, "resources_in_roles": [[f"{RESOURCE}.customer", "customer"]]}}, 3
        )
    ),
    3,
    "by role",
)

of_run = events(
    {"resource": {"id": [f"prefect.flow-run.{run['id']}"]}, "event": {"exclude_name": ["prefect.flow-run.heartbeat"]}},
    3,
)
same(
    [event["event"] for event in of_run],
    [f"prefect.flow-run.{name}" for name in ("Pending", "Running", "Completed")],
    "states",
)
same(
    [event["id"] for event in of_run], [state["id"] for state in flow_states(run["id"])], "an event has its state's id"
)
same(
    [event["follows"] for event in of_run],
    [None] + [event["id"] for event in of_run[:-1]],
    "each follows the one before",
)
of_task = events({"resource": {"id": [f"prefect.task-run.{rows[0]['id']}"]}}, 3)
same([event["event"].rpartition(".")[2] for event in of_task], names(task_states(rows[0]["id"])), "states of a task")
same(
    [event["id"] for event in of_task], [state["id"] for state in task_states(rows[0]["id"])], "ids of a task's states"
)

page = post("/events/filter", {"filter": {"event": {"prefix": [f"{MARK}."]}}, "limit": 4})
same((len(page["events"]), page["total"], bool(page["next_page"])), (4, 6, True), "a page of events")
counts = post("/events/count-by/event", {"filter": {"event": {"prefix": [f"{MARK}."]}}})
same(
    {one["value"]: one["count"] for one in counts},
    {f"{MARK}.sold": 3, f"{MARK}.opened": 1, f"{MARK}.closed": 1, f"{MARK}.streamed": 1},
    "counts by event",
)
