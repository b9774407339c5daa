"""Concurrency limits hold: slots are taken and given back, tags limit tasks, and a missing limit is let through."""
# scenario: quick, both databases

import threading
import time

from prefect import flow, task
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate, GlobalConcurrencyLimitUpdate
from prefect.concurrency.sync import concurrency, rate_limit
from readback import eventually, get, run_id, same, states_of, task_runs, unique

NAME, TAG = unique("limit"), unique("limited")
at_once = {"now": 0, "most": 0}
lock = threading.Lock()


def occupied(seconds: float) -> None:
    with lock:
        at_once["now"] += 1
        at_once["most"] = max(at_once["most"], at_once["now"])
    time.sleep(seconds)
    with lock:
        at_once["now"] -= 1


def active(name: str) -> int:
    return get(f"/v2/concurrency_limits/{name}")["active_slots"]


@task(task_run_name="slot {number}")
def with_slot(number: int) -> None:
    with concurrency(NAME, occupy=1):
        occupied(0.1)


@task(tags=[TAG], task_run_name="tag {number}")
def with_tag(number: int) -> None:
    occupied(0.1)


@flow
def undefined() -> str:
    with concurrency(unique("absent"), occupy=1):
        pass
    rate_limit(unique("absent"))
    try:
        with concurrency(unique("absent"), occupy=1, strict=True):
            raise AssertionError("a strict limit that does not exist was taken")
    except Exception as problem:
        return type(problem).__name__


@flow
def limited() -> None:
    with_slot.map(range(4)).wait()


@flow
def tagged() -> None:
    with_tag.map(range(3)).wait()


@flow
def refused() -> str:
    try:
        with concurrency(NAME, occupy=2, timeout_seconds=0.2):
            raise AssertionError("more slots than there are were taken")
    except TimeoutError:
        return "timed out"


same(undefined(), "ConcurrencySlotAcquisitionError", "limits that do not exist")
with get_client(sync_client=True) as client:
    client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name=NAME, limit=2))
    client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name=f"tag:{TAG}", limit=1))

    same(states_of(task_runs(run_id(limited(return_state=True)), 4)), {"Completed": 4}, "tasks with a slot")
    same((at_once["most"] <= 2, at_once["most"] > 0), (True, True), f"at once with two slots: {at_once['most']}")
    eventually("the slots are given back", lambda: active(NAME) == 0)

    at_once["most"] = 0
    rows = task_runs(run_id(tagged(return_state=True)), 3)
    same((states_of(rows), at_once["most"]), ({"Completed": 3}, 1), "tasks with a limited tag, one at a time")
    eventually("the slot of the tag is given back", lambda: active(f"tag:{TAG}") == 0)

    with concurrency(NAME, occupy=2):
        same(active(NAME), 2, "slots in use")
        same(refused(), "timed out", "a full limit")
    eventually("both slots are given back", lambda: active(NAME) == 0)
    try:
        with concurrency(NAME):
            raise KeyError("within")
    except KeyError:
        eventually("a slot is given back after an exception", lambda: active(NAME) == 0)

    client.update_global_concurrency_limit(NAME, GlobalConcurrencyLimitUpdate(active=False))
    with concurrency(NAME, occupy=5, timeout_seconds=60):
        pass  # a limit that is switched off lets everything through
    client.delete_global_concurrency_limit_by_name(NAME)
