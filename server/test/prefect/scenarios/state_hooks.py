"""Hooks of flows and tasks run with the state they belong to, and what they store and log belongs to the run."""

from prefect import flow, task
from prefect.artifacts import create_markdown_artifact
from readback import flow_run, get, logs, run_id, same, task_runs, unique

called: list[tuple[str, str, str]] = []
KEY = unique("hook")


def hook(kind: str):
    def call(of, run, state) -> None:
        called.append((kind, of.name, state.name))

    return call


def stores(flow, run, state) -> None:
    create_markdown_artifact(f"{run.name} {state.name}", key=KEY)


def breaks(flow, run, state) -> None:
    raise RuntimeError("a broken hook")


@task(on_running=[hook("running")], on_completion=[hook("completion")], on_failure=[hook("failure")])
def work(fails: bool) -> str:
    if fails:
        raise ValueError("failed")
    return "done"


@flow(
    on_running=[hook("running")],
    on_completion=[breaks, hook("completion"), stores],
    on_failure=[hook("failure")],
)
def watched(fails: bool) -> None:
    work(fails)


good = run_id(watched(False, return_state=True))
same(
    called,
    [
        ("running", "watched", "Running"),
        ("running", "work", "Running"),
        ("completion", "work", "Completed"),
        ("completion", "watched", "Completed"),
    ],
    "hooks of a run that completes",
)
same(flow_run(good)["state_type"], "COMPLETED", "a broken hook does not change the state")
same(get(f"/artifacts/{KEY}/latest")["data"], f"{flow_run(good)['name']} Completed", "what the hook stored")
texts = [log["message"] for log in logs(good, 1, level={"ge_": 40})]
same(len([text for text in texts if "a broken hook" in text]) > 0, True, f"the log of the broken hook: {texts}")

called.clear()
bad = run_id(watched(True, return_state=True))
same(
    called,
    [
        ("running", "watched", "Running"),
        ("running", "work", "Running"),
        ("failure", "work", "Failed"),
        ("failure", "watched", "Failed"),
    ],
    "hooks of a run that fails",
)
same([row["state_name"] for row in task_runs(bad, 1)], ["Failed"], "the task")
