"""Submitted tasks, their futures and `wait_for` end in the right states, and the graph shows what depended on what."""

from prefect import flow, task
from prefect.futures import as_completed, wait
from prefect.task_runners import ThreadPoolTaskRunner
from readback import by_task, flow_run, get, run_id, same, states_of, task_history, task_runs


@task
def extract() -> list[int]:
    return [1, 2, 3]


@task
def transform(numbers: list[int], factor: int) -> list[int]:
    return [number * factor for number in numbers]


@task
def load(numbers: list[int]) -> int:
    return sum(numbers)


@task
def announce(text: str) -> str:
    return text


@task
def number(value: int) -> int:
    return value


@flow(task_runner=ThreadPoolTaskRunner(max_workers=3))
def pipeline() -> int:
    extracted = extract.submit()
    transformed = transform.submit(extracted, factor=10)
    loaded = load.submit(transformed)
    announced = announce.submit("done", wait_for=[loaded, extracted])
    announced.wait()
    return loaded.result()


@flow(task_runner=ThreadPoolTaskRunner(max_workers=4))
def fan_out() -> tuple[int, int]:
    futures = [number.submit(value) for value in range(8)]
    finished = wait(futures)
    assert len(finished.done) == 8 and not finished.not_done
    return sum(future.result() for future in as_completed(futures)), len(finished.done)


state = pipeline(return_state=True)
same(state.result(), 60, "result")
run = flow_run(run_id(state))
rows = by_task(task_runs(run["id"], 4))
for row in rows.values():
    task_history(row["id"], ["Pending", "Running", "Completed"])


def runs(*tasks: str) -> list[dict[str, str]]:
    return [{"input_type": "task_run", "id": rows[name]["id"]} for name in tasks]


same(rows["extract"]["task_inputs"], {}, "inputs of extract")
same(rows["transform"]["task_inputs"], {"numbers": runs("extract"), "factor": []}, "inputs of transform")
same(rows["load"]["task_inputs"], {"numbers": runs("transform")}, "inputs of load")
waited = rows["announce"]["task_inputs"]
same(waited["text"], [], "inputs of announce")
same({one["id"] for one in waited["wait_for"]}, {rows["load"]["id"], rows["extract"]["id"]}, "announce waits for")

graph = get(f"/flow_runs/{run['id']}/graph-v2")
same(graph["root_node_ids"], [rows["extract"]["id"]], "root of the graph")
nodes = dict(graph["nodes"])
same(set(nodes), {row["id"] for row in rows.values()}, "nodes")


def neighbours(name: str, direction: str) -> set[str]:
    return {one["id"] for one in nodes[rows[name]["id"]][direction]}


same(neighbours("transform", "parents"), {rows["extract"]["id"]}, "parents of transform")
same(neighbours("extract", "children"), {rows["transform"]["id"], rows["announce"]["id"]}, "children of extract")
same(neighbours("announce", "parents"), {rows["load"]["id"], rows["extract"]["id"]}, "parents of announce")
same(neighbours("announce", "children"), set(), "children of announce")
same({node["state_type"] for node in nodes.values()}, {"COMPLETED"}, "states in the graph")
same(nodes[rows["load"]["id"]]["label"], rows["load"]["name"], "label in the graph")

state = fan_out(return_state=True)
same(state.result(), (28, 8), "result of the fan-out")
same(states_of(task_runs(run_id(state), 8)), {"Completed": 8}, "task states of the fan-out")
