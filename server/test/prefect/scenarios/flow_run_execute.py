"""`prefect flow-run execute` runs a scheduled run of a deployment in this process, with its parameters and its name."""
# scenario: timeout 240 s

from pathlib import Path

from command import prefect
from prefect import flow
from prefect.client.orchestration import get_client
from readback import flow_history, flow_run, logs, same, task_runs, unique

NAME = unique("executed")
source = Path(f"{NAME}.py".replace("-", "_"))
source.write_text(f"""
from prefect import flow, get_run_logger, task

@task
def doubled(number: float) -> float:
    return number * 2

@flow(name="{NAME}", flow_run_name="{{number}}-{NAME}")
def executed(number: float) -> float:
    get_run_logger().info("doubled: %s", doubled(number))
    return number
""")

deployed = flow.from_source(source=str(Path.cwd()), entrypoint=f"{source}:executed")
with get_client(sync_client=True) as client:
    flow_id = client.create_flow(deployed)
    deployment = client.create_deployment(
        flow_id=flow_id,
        name=NAME,
        entrypoint=f"{source}:executed",
        path=str(Path.cwd()),
        parameters={"number": 1.0},
    )
    run = client.create_flow_run_from_deployment(deployment, parameters={"number": 2.0})
    same(flow_run(run.id)["state_type"], "SCHEDULED", "before")
    prefect("flow-run", "execute", str(run.id))
    done = flow_run(run.id)
    same((done["state_type"], done["name"], done["run_count"]), ("COMPLETED", f"2.0-{NAME}", 1), "after")
    same(flow_history(run.id)[-2:], ["Running", "Completed"], "its states")
    task_runs(run.id, 1)
    texts = [log["message"] for log in logs(run.id, 1)]
    same([text for text in texts if text.startswith("doubled")], ["doubled: 4.0"], "its log")
