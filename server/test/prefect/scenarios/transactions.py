"""Transactions roll back and commit their tasks, and RolledBack is in the history of the tasks."""

# scenario: quick

from prefect import flow, task
from prefect.transactions import get_transaction, transaction
from readback import by_task, flow_run, run_id, same, task_history, task_runs

happened: list[str] = []


@task(persist_result=True)
def write(name: str) -> str:
    happened.append(f"write {name}")
    return name


@write.on_rollback
def undo(txn) -> None:
    happened.append("undo write")


@write.on_commit
def keep(txn) -> None:
    happened.append("keep write")


@task
def check(fails: bool) -> None:
    if fails:
        raise ValueError("check failed")


@flow
def careful(fails: bool) -> str:
    try:
        with transaction() as txn:
            txn.set("table", "numbers")
            write("numbers")
            assert get_transaction().get("table") == "numbers"
            check(fails)
    except ValueError:
        return "rolled back"
    return "committed"


state = careful(True, return_state=True)
same(state.result(), "rolled back", "result of the failing transaction")
same(happened, ["write numbers", "undo write"], "what happened in the failing transaction")
rows = by_task(task_runs(run_id(state), 2))
same((rows["write"]["state_type"], rows["write"]["state_name"]), ("COMPLETED", "RolledBack"), "the task rolled back")
task_history(rows["write"]["id"], ["Pending", "Running", "Completed", "RolledBack"])
same(rows["check"]["state_name"], "Failed", "the failing task")
same(flow_run(run_id(state))["state_type"], "COMPLETED", "the flow caught the failure")

happened.clear()
state = careful(False, return_state=True)
same(state.result(), "committed", "result of the transaction")
same(happened, ["write numbers", "keep write"], "what happened in the transaction")
rows = by_task(task_runs(run_id(state), 2))
same({row["state_name"] for row in rows.values()}, {"Completed"}, "states of the committed tasks")
task_history(rows["write"]["id"], ["Pending", "Running", "Completed"])
