"""Runs real flows against PREFECT_API_URL: some succeed, some fail, one waits for an answer."""

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

from prefect import flow, get_client, get_run_logger, pause_flow_run, task
from prefect.artifacts import (
    create_link_artifact,
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    update_progress_artifact,
)
from prefect.events import emit_event
from prefect.input import RunInput
from prefect.runtime import task_run
from prefect.schedules import Cron, Interval

HOSTILE = '<script>window.hacked = 1</script> <img src=x onerror="window.hacked = 1"> [link](javascript:window.hacked=1)'


class Approval(RunInput):
    approved: bool
    reason: str = "looks good"


@task
def extract(number: int) -> int:
    get_run_logger().info("extracted %s", number)
    return number


@task(retries=2, retry_delay_seconds=0.1)
def unsteady(number: int) -> int:
    if task_run.run_count < 2:
        raise RuntimeError(f"row {number} is not ready")
    return number


@task
def load(rows: list[int]) -> int:
    get_run_logger().warning("loading %s rows", len(rows))
    return sum(rows)


@task
def divide(rows: list[int], by: int) -> float:
    return sum(rows) / by


@flow
def clean(count: int = 2) -> list[int]:
    return [extract(number) for number in range(count)]


@flow
def daily_report(day: str = "2026-11-22", regions: list[str] = ["eu", "us"], limit: int = 6, by: int = 2) -> int:
    """Builds the report of a day."""
    rows = extract.map(range(limit)).result()
    clean(2)
    total = load([*rows, unsteady(1)])
    divide(rows, by)
    create_markdown_artifact(f"# Report of {day}\n\n**{total}** rows\n\n{HOSTILE}", key="daily-report")
    create_table_artifact([{"region": name, "rows": place} for place, name in enumerate(regions)], key="regions")
    create_link_artifact("https://example.com/report", link_text="The report", key="report-link")
    progress = create_progress_artifact(0.0, key="loading")
    update_progress_artifact(progress, 80.0)
    return total


@flow
def approve(amount: int = 100) -> bool:
    answer = pause_flow_run(wait_for_input=Approval, timeout=3600, poll_interval=1)
    get_run_logger().info("answered: %s, %s", answer.approved, answer.reason)
    return answer.approved


def wait_for_answer() -> None:
    """Leaves a run that waits for an answer: its process is ended once it waits."""
    child = subprocess.Popen([sys.executable, __file__, "approve"])
    with get_client(sync_client=True) as client:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if any(run.state and run.state.is_paused() for run in client.read_flow_runs()):
                break
            time.sleep(0.2)
    child.kill()
    child.wait()


def deploy() -> None:
    source = str(Path(__file__).parent)
    with get_client(sync_client=True) as client:
        for name in ("laptops", "cluster"):
            client._client.post("/work_pools/", json={"name": name, "type": "process"})
    daily_report.from_source(source, entrypoint="flows.py:daily_report").deploy(
        name="nightly",
        work_pool_name="laptops",
        schedules=[Cron("0 3 * * *", timezone="Europe/Berlin")],
        tags=["prod"],
        version="1",
        description="Builds the **report** each night.",
        concurrency_limit=1,
        ignore_warnings=True,
        print_next_steps=False,
    )
    clean.from_source(source, entrypoint="flows.py:clean").deploy(
        name="each-ten-minutes",
        work_pool_name="cluster",
        schedules=[Interval(timedelta(minutes=10))],
        ignore_warnings=True,
        print_next_steps=False,
    )


if __name__ == "__main__":
    if sys.argv[1:] == ["approve"]:
        approve()
        sys.exit()
    for day in range(18, 21):
        daily_report(f"2026-11-{day}")
    for by in (0, 0):
        try:
            daily_report("2026-11-22", by=by)
        except ZeroDivisionError:
            pass
    wait_for_answer()
    deploy()
    for number in range(3):
        emit_event(
            "order.placed",
            resource={"prefect.resource.id": f"shop.order.{number}", "prefect.resource.name": f"Order {number} {HOSTILE}"},
            payload={"amount": number},
        )
    os.environ.pop("PREFECT_API_KEY", None)
    time.sleep(2)
