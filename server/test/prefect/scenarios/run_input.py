"""Running flows send each other inputs, answer them, and the server keeps what was sent."""
# scenario: both databases

import asyncio
import json

from prefect import flow
from prefect.input import RunInput, receive_input, send_input
from readback import flow_run, post, run_id, same, unique


class Order(RunInput):
    item: str
    count: int = 1
    price: float


class Receipt(RunInput):
    text: str


@flow
async def shop(orders: int) -> list[str]:
    sold = []
    async for order in receive_input(Order, timeout=20, poll_interval=0.1):
        sold.append(f"{order.count} {order.item} {order.price!r}")
        await order.respond(Receipt(text=f"sold {order.item}"))
        if len(sold) == orders:
            return sold
    return sold


@flow
async def customer(shop_run: str, item: str) -> str:
    await Order(item=item, count=2, price=1.0).send_to(shop_run)
    async for receipt in Receipt.receive(timeout=20, poll_interval=0.1):
        return receipt.text
    return "none"


@flow
async def listener() -> dict[str, int]:
    async for number in receive_input(dict[str, int], timeout=20, poll_interval=0.1):
        return number
    return {}


async def started(name: str) -> str:
    """The id of the run of the flow, as soon as it is running."""
    for _ in range(200):
        found = post(
            "/flow_runs/filter",
            {"flows": {"name": {"any_": [name]}}, "flow_runs": {"state": {"type": {"any_": ["RUNNING"]}}}},
        )
        if found:
            return found[0]["id"]
        await asyncio.sleep(0.05)
    raise AssertionError(f"{name} does not run")


async def main() -> None:

    open_shop = shop.with_options(name=unique("shop"))
    selling = asyncio.create_task(open_shop(2, return_state=True))
    shop_run = await started(open_shop.name)
    bought = await asyncio.gather(customer(shop_run, "äpfel"), customer(shop_run, "pears"))
    same(sorted(bought), ["sold pears", "sold äpfel"], "answers")
    state = await selling
    same(sorted(await state.aresult()), ["2 pears 1.0", "2 äpfel 1.0"], "what the shop sold")
    same(run_id(state), shop_run, "run of the shop")
    kept = post(f"/flow_runs/{shop_run}/input/filter", {"prefix": "order", "limit": 50})
    same(sorted(json.loads(one["value"])["item"] for one in kept), ["pears", "äpfel"], "inputs kept by the server")
    same('"price":1.0' in kept[0]["value"], True, "an input is kept as the text that was sent")
    same([one["sender"].startswith("prefect.flow-run.") for one in kept], [True, True], "senders")

    listening = listener.with_options(name=unique("listener"))
    waiting = asyncio.create_task(listening())
    listener_run = await started(listening.name)
    await send_input({"a": 1, "b": 2**60}, listener_run, sender="operator")
    same(await waiting, {"a": 1, "b": 2**60}, "an input of a plain type")
    same(flow_run(listener_run)["state_type"], "COMPLETED", "state of the listener")


asyncio.run(main())
