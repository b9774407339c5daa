"""A server that is killed in the middle of a run keeps all it acknowledged, and the run goes on after its start."""
# scenario: both databases, own server, alone, timeout 120 s

from prefect import flow, get_run_logger, runtime, task
from prefect.artifacts import create_markdown_artifact
from prefect.variables import Variable
from readback import control, eventually, flow_history, flow_run, get, logs, run_id, same, states_of, task_history, task_runs


@task(task_run_name="{when} {number}")
def step(when: str, number: int) -> int:
    return number


@flow
def killed() -> str:
    Variable.set("before_kill", [1, 1.0, 2**60], overwrite=True)
    # The SDK gives up its queue of events when the server dies within its very first connection: wait until that stands.
    step("connected", 0)
    task_runs(runtime.flow_run.id, 1)
    step.map("before", range(40)).result()
    artifact = create_markdown_artifact("# kept", key="before-kill")
    control("stop?signal=SIGKILL")
    step.map("during", range(20)).result()
    control("start")
    get_run_logger().info("after the kill")
    step.map("after", range(20)).result()
    return str(artifact)


finished = killed(return_state=True)
again = killed(return_state=True)
for state in (finished, again):
    run = flow_run(run_id(state))
    same(run["state_type"], "COMPLETED", "state")
    same(flow_history(run["id"]), ["Pending", "Running", "Completed"], "states")
    same(get(f"/artifacts/{state.result()}")["data"], "# kept", "the artifact just before the kill")
    rows = task_runs(run["id"], 81, seconds=40)
    same(states_of(rows), {"Completed": 81}, "states of the tasks")
    same(
        {row["name"] for row in rows},
        {
            f"{when} {n}"
            for when, count in (("connected", 1), ("before", 40), ("during", 20), ("after", 20))
            for n in range(count)
        },
        "every task once",
    )
    for row in rows:
        task_history(row["id"], ["Pending", "Running", "Completed"])
    eventually("a log after the kill", lambda run=run: "after the kill" in [log["message"] for log in logs(run["id"], 1)])
same(get("/variables/name/before_kill")["value"], [1, 1.0, 2**60], "the variable just before the kill")
