"""Reads back over the REST API what a scenario did with the SDK, and compares it strictly.

Every answer is read as JSON text by Python's own reader, which keeps `1` and `1.0` apart and integers exact, so a
server that changes the kind of a number is caught. Nothing here goes through the SDK: a fault that the SDK forgives
must still be seen.
"""

import atexit
import json
import os
import time
import urllib.parse
import urllib.request
import uuid
from datetime import datetime
from typing import Any, Callable

import httpx

URL = os.environ["PREFECT_API_URL"].rstrip("/")
CONTROL_URL = os.environ.get("SIGNALBOX_TEST_CONTROL_URL", "")

# Longest wait, in seconds, for what a server may do after it answered: record task runs, store events and logs.
# The reference server writes events in batches of up to 5 s, and this suite must judge it fairly on a busy machine.
PATIENCE_SECONDS = 20.0

# Idle connections are given up before a server does so: a request is never sent into a connection that is closing.
_http = httpx.Client(timeout=30, limits=httpx.Limits(keepalive_expiry=1))

# What a client has to retry, with its number: the runner shows it.
_retried: dict[str, int] = {}


class Answer:
    """One HTTP answer: `status`, `text` and the decoded `body` (None when empty or not JSON)."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.text = response.text
        self.headers = response.headers
        try:
            self.body: Any = json.loads(response.text) if response.text else None
        except ValueError:
            self.body = None


def request(method: str, path: str, body: Any = None) -> Answer:
    """Sends one request and returns whatever is answered. 503 and closed connections are retried, as the SDK does.

    `path` is relative to the API: `/flow_runs/filter`.
    """
    content = None if body is None else json.dumps(body)
    headers = {} if body is None else {"content-type": "application/json"}
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            answer = Answer(_http.request(method, URL + path, content=content, headers=headers))
            problem = "503" if answer.status == 503 else None
        except (httpx.ReadError, httpx.RemoteProtocolError) as closed:
            answer, problem = None, type(closed).__name__
        if answer and (not problem or time.monotonic() > deadline):
            return answer
        holds(time.monotonic() <= deadline, f"{method} {path} gets no answer: {problem}")
        _retried[problem] = _retried.get(problem, 0) + 1
        time.sleep(0.2)


def get(path: str) -> Any:
    """The decoded body of a GET that must answer 2xx."""
    return _accepted("GET", path, request("GET", path))


def post(path: str, body: Any = None) -> Any:
    """The decoded body of a POST that must answer 2xx. Without a body an empty object is sent."""
    return _accepted("POST", path, request("POST", path, {} if body is None else body))


def patch(path: str, body: Any) -> Any:
    return _accepted("PATCH", path, request("PATCH", path, body))


def delete(path: str) -> Any:
    return _accepted("DELETE", path, request("DELETE", path))


def _accepted(method: str, path: str, answer: Answer) -> Any:
    if not 200 <= answer.status < 300:
        raise AssertionError(f"{method} {path} answered {answer.status}: {answer.text[:2000]}")
    return answer.body


def unique(prefix: str) -> str:
    """A name that no other scenario uses: all scenarios may share one server."""
    return f"{prefix}-{uuid.uuid4().hex[:8]}"


def same(actual: Any, expected: Any, what: str) -> None:
    """Equal, and of the same kinds throughout: `1`, `1.0` and `True` are three different values."""
    difference = _difference(actual, expected, what)
    if difference:
        raise AssertionError(difference)


def _difference(actual: Any, expected: Any, where: str) -> str | None:
    if type(actual) is not type(expected):
        return f"{where}: got {actual!r} ({type(actual).__name__}), expected {expected!r} ({type(expected).__name__})"
    if isinstance(expected, dict):
        if sorted(map(str, actual)) != sorted(map(str, expected)):
            return f"{where}: got keys {sorted(map(str, actual))}, expected {sorted(map(str, expected))}"
        return next(filter(None, (_difference(actual[key], expected[key], f"{where}.{key}") for key in expected)), None)
    if isinstance(expected, (list, tuple)):
        if len(actual) != len(expected):
            return f"{where}: got {len(actual)} items {actual!r:.500}, expected {len(expected)} {expected!r:.500}"
        pairs = enumerate(zip(actual, expected))
        return next(filter(None, (_difference(a, e, f"{where}[{i}]") for i, (a, e) in pairs)), None)
    return None if actual == expected else f"{where}: got {actual!r}, expected {expected!r}"


def holds(condition: Any, what: str) -> None:
    if not condition:
        raise AssertionError(what)


def eventually(what: str, probe: Callable[[], Any], seconds: float = PATIENCE_SECONDS) -> Any:
    """Calls `probe` until its answer is truthy and returns that answer. Fails after `seconds` with the last answer."""
    deadline = time.monotonic() + seconds
    pause = 0.02
    while True:
        answer = probe()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds:g} s, last answer {answer!r:.1000}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.25)


def flow_run(flow_run_id: Any) -> dict[str, Any]:
    return get(f"/flow_runs/{flow_run_id}")


def flow_states(flow_run_id: Any) -> list[dict[str, Any]]:
    """The flow run's whole state history, oldest first."""
    return get(f"/flow_run_states/?flow_run_id={flow_run_id}")


def task_states(task_run_id: Any) -> list[dict[str, Any]]:
    return get(f"/task_run_states/?task_run_id={task_run_id}")


def names(states: list[dict[str, Any]]) -> list[str]:
    return [state["name"] for state in states]


def flow_history(flow_run_id: Any) -> list[str]:
    """The names of the flow run's states, oldest first."""
    return names(flow_states(flow_run_id))


def task_history(task_run_id: Any, expected: list[str]) -> None:
    """The task run's states are exactly `expected`, in this order, once the server has recorded them."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(task_states(task_run_id)) < len(expected) and time.monotonic() < deadline:
        time.sleep(0.05)
    same(names(task_states(task_run_id)), expected, f"states of task run {task_run_id}")


TERMINAL = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


def pages(path: str, body: dict[str, Any], limit: int = 200) -> list[dict[str, Any]]:
    """Every row of a `/filter` route, read page by page; `body` should name a `sort` with unique values."""
    rows: list[dict[str, Any]] = []
    while True:
        page = post(path, {**body, "limit": limit, "offset": len(rows)})
        rows += page
        if len(page) < limit:
            return rows


def task_runs(
    flow_run_id: Any, count: int, unfinished: int = 0, seconds: float = PATIENCE_SECONDS
) -> list[dict[str, Any]]:
    """The flow run's task runs by name, once `count` of them are there and all but `unfinished` of them have ended.

    The server records task runs from events, so they may come after the flow's end. More than `count` fail.
    """
    where = {"flow_runs": {"id": {"any_": [str(flow_run_id)]}}}
    terminal = {"state": {"type": {"any_": list(TERMINAL)}}}

    def counts() -> tuple[int, int]:
        return post("/task_runs/count", where), post("/task_runs/count", {**where, "task_runs": terminal})

    deadline = time.monotonic() + seconds
    while (found := counts()) < (count, count - unfinished) and time.monotonic() < deadline:
        time.sleep(0.05)
    rows = pages("/task_runs/filter", {**where, "sort": "ID_DESC"})
    what = f"task runs, ended ones of flow run {flow_run_id} ({sorted(row['name'] for row in rows)!r:.300})"
    same(found, (count, count - unfinished), what)
    same(len({row["id"] for row in rows}), count, "different task run ids")
    return sorted(rows, key=lambda row: row["name"])


def by_task(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Task runs under the name of their task, for flows that call each task once: `load-4f2` becomes `load`."""
    found = {row["name"].rpartition("-")[0]: row for row in rows}
    same(len(found), len(rows), f"tasks called once ({[row['name'] for row in rows]})")
    return found


def states_of(rows: list[dict[str, Any]]) -> dict[str, int]:
    """How many rows are in each state, by state name."""
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["state_name"]] = counts.get(row["state_name"], 0) + 1
    return counts


def logs(flow_run_id: Any, count: int, seconds: float = PATIENCE_SECONDS, **criteria: Any) -> list[dict[str, Any]]:
    """At least `count` logs of the flow run that meet `criteria`, oldest first."""
    body = {"logs": {"flow_run_id": {"any_": [str(flow_run_id)]}, **criteria}, "sort": "TIMESTAMP_ASC"}
    eventually(
        f"{count} logs of flow run {flow_run_id} {criteria or ''}",
        lambda: post("/logs/filter", {**body, "limit": 1, "offset": count - 1}),
        seconds,
    )
    return pages("/logs/filter", body)


def events(event_filter: dict[str, Any], count: int, seconds: float = PATIENCE_SECONDS) -> list[dict[str, Any]]:
    """At least `count` events that pass the filter, oldest first (up to 50)."""
    body = {"filter": {**event_filter, "order": "ASC"}, "limit": 50}

    def found() -> list[dict[str, Any]] | None:
        page = post("/events/filter", body)
        return page["events"] if len(page["events"]) >= count else None

    return eventually(f"{count} events for {event_filter}", found, seconds)


def moment(text: str) -> datetime:
    """A wire time, which must carry an offset."""
    parsed = datetime.fromisoformat(text.replace("Z", "+00:00"))
    holds(parsed.tzinfo is not None, f"time without an offset: {text}")
    return parsed


def run_id(state: Any) -> str:
    """The flow run id in a state that the SDK returned for `return_state=True`."""
    return str(state.state_details.flow_run_id)


def control(action: str) -> None:
    """Asks the runner to do something to the server: `stop?signal=SIGKILL`, `start`, `restart?signal=SIGTERM`.

    Returns when it is done; after `start` and `restart` the server answers again. Uses no SDK and no httpx client, so
    that it can be called from a task while the SDK is busy in another thread.
    """
    call = urllib.request.Request(f"{CONTROL_URL}/{action}", method="POST")
    with urllib.request.urlopen(call, timeout=60) as answer:
        holds(answer.status == 200, f"control {action} answered {answer.status}")


def operate(*arguments: str) -> str:
    """Runs a command of Signalbox (`users create …`) on the data of the scenario's own server: what it prints."""
    query = urllib.parse.urlencode([("argument", argument) for argument in arguments])
    call = urllib.request.Request(f"{CONTROL_URL}/operate?{query}", method="POST")
    with urllib.request.urlopen(call, timeout=60) as answer:
        return answer.read().decode().strip()


def note(text: str) -> None:
    """A figure or remark that the runner shows beside the result."""
    print(f"note: {text}", flush=True)


@atexit.register
def _report_retries() -> None:
    for problem, count in _retried.items():
        note(f"{count} requests of the checks had to be repeated: {problem}")
