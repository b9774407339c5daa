"""Workers and task workers of the SDK, started and stopped for a scenario, and what the server says of them."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

from command import COMMAND
from readback import eventually, flow_run, get, post, request

# Only how often a worker looks is changed: every second instead of every ten.
_OFTEN = {"PREFECT_WORKER_QUERY_SECONDS": "1", "PREFECT_WORKER_PREFETCH_SECONDS": "1"}


def make_pool(name: str, **settings: Any) -> dict[str, Any]:
    """A process pool with the template that the CLI would give it."""
    from prefect.workers.process import ProcessWorker

    template = ProcessWorker.get_default_base_job_template()
    return post("/work_pools/", {"name": name, "type": "process", "base_job_template": template, **settings})


def deploy(flow: Any, name: str, pool: str, **settings: Any) -> str:
    """Deploys a flow of the calling script, and returns the id of the deployment."""
    script = Path(sys.argv[0]).resolve()
    source = type(flow).from_source(source=str(script.parent), entrypoint=f"{script.name}:{flow.fn.__name__}")
    deployed = source.deploy(name=name, work_pool_name=pool, print_next_steps=False, ignore_warnings=True, **settings)
    return str(deployed)


def submit(deployment_id: str, name: str, **settings: Any) -> str:
    """A run of the deployment that is due at once; returns its id."""
    asked = {"name": name, "state": {"type": "SCHEDULED"}, **settings}
    return post(f"/deployments/{deployment_id}/create_flow_run", asked)["id"]


def ended(flow_run_id: str, seconds: float = 60) -> dict[str, Any]:
    """The run, once it is in a terminal state."""
    final = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")

    def found() -> dict[str, Any] | None:
        run = flow_run(flow_run_id)
        return run if run["state_type"] in final else None

    return eventually(f"the end of run {flow_run_id}", found, seconds)


def worker_status(pool: str, name: str) -> str | None:
    """ONLINE, OFFLINE, or None when the pool does not know the worker."""
    found = post(f"/work_pools/{pool}/workers/filter")
    return next((worker["status"] for worker in found if worker["name"] == name), None)


@contextmanager
def worker(pool: str, name: str = "worker", *options: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process worker of the pool, online when the block begins; it is told to stop, and waited for, at the end."""
    command = [*COMMAND, "worker", "start", "--pool", pool, "--type", "process", "--name", name]
    running = subprocess.Popen([*command, *options], env={**os.environ, **_OFTEN, **environment})
    try:
        eventually(f"worker {name} is online", lambda: worker_status(pool, name) == "ONLINE", 45)
        yield running
    finally:
        stop(running)


@contextmanager
def task_worker(script_argument: str, keys: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """The calling script again, with this argument, as a task worker of the tasks with these keys."""
    running = subprocess.Popen([sys.executable, sys.argv[0], script_argument], env=dict(os.environ))
    try:
        wanted = {"task_worker_filter": {"task_keys": keys}}
        eventually("the task worker is connected", lambda: post("/task_workers/filter", wanted), 45)
        yield running
    finally:
        stop(running)


def stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGINT)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def pool_status(pool: str) -> str:
    return get(f"/work_pools/{pool}")["status"]


def exists(path: str) -> bool:
    return request("GET", path).status == 200
