"""What flows and tasks log and print is stored in order with level, logger and run, and can be filtered."""
# scenario: quick, both databases

from prefect import flow, get_run_logger, task
from readback import by_task, holds, logs, moment, post, request, run_id, same, task_runs, unique

MARK = unique("needle")


@task
def logging_task() -> None:
    get_run_logger().warning("from the task %s", "ä€𝄞")


@task(log_prints=True)
def printing_task() -> None:
    print("printed by the task")


@flow(log_prints=True)
def talking() -> None:
    logger = get_run_logger()
    logger.debug("hidden: below the level of the logger")
    logger.info("information")
    logger.error("an error\nin two lines")
    logger.critical(MARK)
    logger.log(25, "between the levels")
    try:
        raise ValueError("logged")
    except ValueError:
        logger.exception("with a traceback")
    print("printed by the flow")
    logging_task()
    printing_task()


run = run_id(talking(return_state=True))
rows = by_task(task_runs(run, 2))
found = logs(run, 11)
by_message = {log["message"]: log for log in found}
same(by_message["information"]["level"], 20, "level of information")
same(by_message["an error\nin two lines"]["level"], 40, "level of an error")
same(by_message["between the levels"]["level"], 25, "a level between the usual ones")
same(by_message[MARK]["name"], "prefect.flow_runs", "logger of the flow")
same(by_message["printed by the flow"]["level"], 20, "level of what is printed")
same(by_message["information"]["task_run_id"], None, "a log of the flow has no task run")
same(by_message["from the task ä€𝄞"]["task_run_id"], rows["logging_task"]["id"], "task run of a task's log")
same(by_message["from the task ä€𝄞"]["name"], "prefect.task_runs", "logger of a task")
same(by_message["printed by the task"]["task_run_id"], rows["printing_task"]["id"], "task run of what a task prints")
holds("hidden: below the level of the logger" not in by_message, "debug is not stored by default")
traceback = next(message for message in by_message if message.startswith("with a traceback"))
holds("ValueError: logged" in traceback, "the traceback is in the message")
same({log["flow_run_id"] for log in found}, {run}, "flow run of all logs")
times = [moment(log["timestamp"]) for log in found]
same(times, sorted(times), "logs sorted by time")
order = [log["message"] for log in found]
holds(order.index("information") < order.index(MARK) < order.index("printed by the flow"), "order of the logs")

same(sorted({log["level"] for log in logs(run, 3, level={"ge_": 40})}), [40, 50], "logs from a level on")
same({log["level"] for log in logs(run, 1, level={"le_": 20})}, {20}, "logs up to a level")
same(
    [log["message"] for log in logs(run, 1, task_run_id={"any_": [rows["logging_task"]["id"]]})][0],
    "from the task ä€𝄞",
    "logs of one task run",
)
same({log["task_run_id"] for log in logs(run, 1, task_run_id={"is_null_": True})}, {None}, "logs of the flow alone")
late = logs(run, 1, timestamp={"after_": by_message["printed by the flow"]["timestamp"]})
holds("information" not in [log["message"] for log in late], "logs after a time")
newest = post("/logs/filter", {"logs": {"flow_run_id": {"any_": [run]}}, "sort": "TIMESTAMP_DESC", "limit": 1})
same(newest[0]["timestamp"], found[-1]["timestamp"], "the newest log first")

table = request("GET", f"/flow_runs/{run}/logs/download")
same(table.status, 200, "download")
holds(table.headers["content-type"].startswith("text/csv"), "type of the download")
same(table.text.splitlines()[0], "timestamp,level,flow_run_id,task_run_id,message", "header of the download")
holds(MARK in table.text and "ä€𝄞" in table.text, "the download has the logs")
