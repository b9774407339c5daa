"""A rate limit lets through what its slots allow, and more only as slots come back by decay."""
# scenario: both databases

from prefect import flow
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import GlobalConcurrencyLimitCreate, GlobalConcurrencyLimitUpdate
from prefect.concurrency.sync import rate_limit
from readback import eventually, get, holds, request, same, unique

NAME, PLAIN = unique("rate"), unique("plain")
# With the first a slot comes back after a day.
SLOWLY, FAST = 1 / 86_400, 1000.0
SLOTS, CALLS = 4, 10


@flow
def calls(count: int, timeout_seconds: float | None = None) -> int:
    passed = 0
    try:
        for _ in range(count):
            rate_limit(NAME, strict=True, timeout_seconds=timeout_seconds)
            passed += 1
    except TimeoutError:
        pass
    return passed


with get_client(sync_client=True) as client:
    client.create_global_concurrency_limit(
        GlobalConcurrencyLimitCreate(name=NAME, limit=SLOTS, slot_decay_per_second=SLOWLY)
    )
    client.create_global_concurrency_limit(GlobalConcurrencyLimitCreate(name=PLAIN, limit=1))

same(calls(SLOTS), SLOTS, "calls that the slots allow")
same(calls(1, timeout_seconds=0.5), 0, "calls while no slot has come back")
with get_client(sync_client=True) as client:
    client.update_global_concurrency_limit(NAME, GlobalConcurrencyLimitUpdate(slot_decay_per_second=FAST))
same(calls(CALLS), CALLS, "calls while slots come back")
eventually("the slots come back by themselves", lambda: get(f"/v2/concurrency_limits/{NAME}")["active_slots"] == 0)

answer = request("POST", "/v2/concurrency_limits/increment", {"names": [PLAIN], "slots": 1, "mode": "rate_limit"})
same(answer.status, 422, "a rate limit needs a decay")
holds(answer.body["detail"].endswith(f"do not have a decay configured: '{PLAIN}'"), answer.text)
