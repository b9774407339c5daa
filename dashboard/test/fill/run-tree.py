"""A tree of four levels that fails in its deepest task: python run-tree.py TASKS_OF_AN_ATTEMPT.

The flow has three attempts. A failure inside the deepest subflow fails every run above it.
"""

import sys

from prefect import flow, task
from prefect.task_runners import ThreadPoolTaskRunner

TASKS = int(sys.argv[1])


@task
def load(number):
    return number


@task
def check_columns(rows):
    print(f"checks {len(rows)} rows")
    return {"order_id": rows[0]}["currency"]


@flow(task_runner=ThreadPoolTaskRunner(max_workers=4), log_prints=True)
def validate_orders():
    rows = load.map(range(TASKS)).result()
    check_columns(rows)


@flow
def load_region():
    validate_orders()


@flow
def load_country():
    load_region()


@flow(retries=2, log_prints=True)
def daily_sales():
    print("begins")
    load_country()


try:
    daily_sales()
except KeyError:
    print("failed as it should")
