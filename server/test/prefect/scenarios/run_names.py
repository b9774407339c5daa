"""Names of flow and task runs come from templates and functions, and runs without one get a name of two words."""

import datetime
import re

from prefect import flow, task
from prefect.client.orchestration import get_client
from prefect.runtime import flow_run as this_run
from prefect.runtime import task_run as this_task
from readback import flow_run, get, holds, post, run_id, same, task_runs, unique

MARK = unique("named")


def name_of_run() -> str:
    return f"{this_run.flow_name} with {this_run.parameters['number']}"


def name_of_task() -> str:
    return f"{this_task.task_name} {this_task.parameters['number']}"


@task(task_run_name="template {number:03d} of {mark}")
def templated(number: int, mark: str) -> None: ...


@task(task_run_name=name_of_task)
def called(number: int) -> None: ...


@task(name="A Task With A Name")
def renamed() -> None: ...


@flow(flow_run_name="{mark} on {day:%A} für {number:.1f}")
def from_template(day: datetime.date, number: float, mark: str) -> None:
    templated(7, mark)
    called(8)
    renamed()
    called.with_options(task_run_name="chosen at the call")(9)


@flow(name=unique("A Flow: with ünusual name"), flow_run_name=name_of_run)
def from_function(number: int) -> None: ...


@flow
def unnamed() -> None: ...


run = flow_run(run_id(from_template(datetime.date(2026, 11, 20), 2.0, MARK, return_state=True)))
same(run["name"], f"{MARK} on Friday für 2.0", "name from a template")
rows = sorted(row["name"] for row in task_runs(run["id"], 4))
same(rows[1:], ["called 8", "chosen at the call", f"template 007 of {MARK}"], "names of the task runs")
holds(re.fullmatch(r"A Task With A Name-\w{3}", rows[0]), f"a task run without a name of its own: {rows[0]}")
same(get(f"/flows/{run['flow_id']}")["name"], "from-template", "name of a flow from its function")

run = flow_run(run_id(from_function(5, return_state=True)))
same(run["name"], f"{from_function.name} with 5", "name from a function")
same(get(f"/flows/{run['flow_id']}")["name"], from_function.name, "a flow's own name")

first, second = (flow_run(run_id(unnamed(return_state=True)))["name"] for _ in range(2))
for name in (first, second):
    holds(re.fullmatch(r"[a-z]+-[a-z]+(-[a-z]+)*", name), f"a generated name: {name}")

with get_client(sync_client=True) as client:
    client.set_flow_run_name(run["id"], "given afterwards")
same(flow_run(run["id"])["name"], "given afterwards", "a new name")
found = post("/flow_runs/filter", {"flow_runs": {"name": {"like_": MARK}}})
same([one["name"] for one in found], [f"{MARK} on Friday für 2.0"], "found by a part of the name")
