"""The SDK's client and the API find, sort, page and count what ran, and the two agree."""
# scenario: both databases

import datetime

from prefect import flow, task
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import (
    FlowFilter,
    FlowFilterName,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
    FlowRunFilterTags,
    TaskRunFilter,
    TaskRunFilterName,
)
from prefect.client.schemas.objects import StateType
from prefect.client.schemas.sorting import FlowRunSort, FlowSort, TaskRunSort
from prefect.exceptions import ObjectNotFound
from prefect.states import Completed, Failed, Running, Scheduled
from readback import holds, moment, post, run_id, same, task_runs, unique

NAME = unique("readable")


@task
def alpha() -> None: ...


@task
def beta() -> None: ...


@flow(name=NAME)
def readable() -> None:
    alpha()
    beta()


@flow(name=f"{NAME} too")
def readable_too() -> None: ...


executed = run_id(readable(return_state=True))
rows = task_runs(executed, 2)
begin = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) - datetime.timedelta(minutes=30)
with get_client(sync_client=True) as client:
    of_flow = FlowFilter(name=FlowFilterName(any_=[NAME]))
    made = []
    for number, state in enumerate(
        [Scheduled(scheduled_time=begin + datetime.timedelta(hours=2)), Running(), Completed(), Failed()]
    ):
        made.append(
            client.create_flow_run(readable, name=f"{number} {state.name}", state=state, tags=[f"t{number}", NAME])
        )
    client.create_flow(readable_too)

    read = client.read_flow_run(executed)
    same((str(read.id), read.state.name), (executed, "Completed"), "one flow run")
    same(
        [
            flow.name
            for flow in client.read_flows(
                flow_filter=FlowFilter(name=FlowFilterName(like_=NAME)), sort=FlowSort.NAME_DESC
            )
        ],
        [f"{NAME} too", NAME],
        "flows by a part of their name, sorted",
    )
    same(client.read_flow_by_name(NAME).id, read.flow_id, "flow by name")
    names = [run.name for run in client.read_flow_runs(flow_filter=of_flow, sort=FlowRunSort.NAME_ASC)]
    same(names[:4], ["0 Scheduled", "1 Running", "2 Completed", "3 Failed"], "flow runs sorted by name")
    same(len(names), 5, "flow runs of the flow")
    page = client.read_flow_runs(flow_filter=of_flow, sort=FlowRunSort.NAME_DESC, limit=2, offset=1)
    same([run.name for run in page], ["3 Failed", "2 Completed"], "a page of flow runs")
    ended = FlowRunFilter(
        state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.COMPLETED, StateType.FAILED]))
    )
    same(client.count_flow_runs(flow_filter=of_flow, flow_run_filter=ended), 3, "count of ended flow runs")
    tagged = FlowRunFilter(tags=FlowRunFilterTags(all_=["t2", NAME]))
    same([run.name for run in client.read_flow_runs(flow_run_filter=tagged)], ["2 Completed"], "flow runs by tags")
    same([state.name for state in client.read_flow_run_states(executed)], ["Pending", "Running", "Completed"], "states")

    betas = client.read_task_runs(
        flow_filter=of_flow,
        task_run_filter=TaskRunFilter(name=TaskRunFilterName(like_="beta")),
        sort=TaskRunSort.NAME_ASC,
    )
    same(
        [str(run.id) for run in betas],
        [row["id"] for row in rows if row["name"].startswith("beta")],
        "task runs by name",
    )
    same(client.read_task_run(betas[0].id).state.name, "Completed", "one task run")
    same(
        [state.name for state in client.read_task_run_states(betas[0].id)],
        ["Pending", "Running", "Completed"],
        "its states",
    )
    holds(client.api_healthcheck() is None, "health")
    client.raise_for_api_version_mismatch()

    client.delete_flow_run(made[3].id)
    try:
        client.read_flow_run(made[3].id)
        raise AssertionError("a deleted flow run was read")
    except ObjectNotFound:
        pass

where = {"flows": {"name": {"any_": [NAME]}}}
page = post("/flow_runs/paginate", {**where, "limit": 3, "page": 2, "sort": "NAME_ASC"})
same((page["count"], page["pages"], page["page"], page["limit"], len(page["results"])), (4, 2, 2, 3, 1), "second page")
page = post("/task_runs/paginate", {**where, "limit": 1, "page": 1, "sort": "NAME_ASC"})
same((page["count"], page["pages"], page["results"][0]["name"][:5]), (2, 2, "alpha"), "first page of task runs")
end = begin + datetime.timedelta(hours=3)
history = post(
    "/flow_runs/history",
    {
        **where,
        "history_start": begin.isoformat(),
        "history_end": end.isoformat(),
        "history_interval_seconds": 3600,
    },
)
same(len(history), 3, "buckets of the history")
same(
    [moment(bucket["interval_start"]) for bucket in history],
    [begin + datetime.timedelta(hours=hours) for hours in range(3)],
    "their starts",
)
counts = [{state["state_name"]: state["count_runs"] for state in bucket["states"]} for bucket in history]
same(counts, [{"Running": 1, "Completed": 2}, {}, {"Scheduled": 1}], "counts in the buckets")
holds(post("/flow_runs/lateness", where) is not None, "lateness")
