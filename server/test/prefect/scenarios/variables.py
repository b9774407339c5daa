"""Variables keep any JSON value exactly, can be overwritten and unset, and are read inside flows."""
# scenario: quick, both databases

import asyncio

from prefect import flow
from prefect.variables import Variable
from readback import get, post, request, same, unique

NAME = unique("variable").replace("-", "_")

VALUES = {
    "text": 'größer 𝄞 " \\ \n \u0000'.replace("\u0000", ""),
    "number_like_text": "1.0",
    "empty": "",
    "integer": 1,
    "large": 2**53 + 1,
    "largest": 2**63 - 1,
    "fraction": 0.1,
    "true": True,
    "list": [1, 1.0, -0.5, 1e22, 2**64 - 1, None, True, "a", [], {}],
    "object": {"z": 1, "a": 1.0, "m": {"deep": [1.0, 1]}, "10": "ten", "2": "two", "ü": None},
}


@flow
def uses_variables() -> object:
    assert Variable.get(f"{NAME}_absent") is None
    assert Variable.get(f"{NAME}_absent", default="fallback") == "fallback"
    return Variable.get(f"{NAME}_object")


for name, value in VALUES.items():
    Variable.set(f"{NAME}_{name}", value, tags=["stored", name])
for name, value in VALUES.items():
    same(Variable.get(f"{NAME}_{name}"), value, f"{name} read by the SDK")
    row = get(f"/variables/name/{NAME}_{name}")
    same(row["value"], value, f"{name} read over the API")
    same(row["tags"], ["stored", name], f"tags of {name}")
same(list(get(f"/variables/name/{NAME}_object")["value"]), list(VALUES["object"]), "order of the keys")
Variable.set(f"{NAME}_float", 1.0)
# Not `same`: the reference server on SQLite turns a bare 1.0 into 1, but keeps it within lists and objects.
assert Variable.get(f"{NAME}_float") == 1.0

same(uses_variables(), VALUES["object"], "a variable read in a flow")

try:
    Variable.set(f"{NAME}_text", "again")
    raise AssertionError("a variable was overwritten without being asked to")
except ValueError as refused:
    same("already exists" in str(refused), True, f"why it is refused: {refused}")
same(Variable.get(f"{NAME}_text"), VALUES["text"], "the value after the refusal")
Variable.set(f"{NAME}_text", {"now": "an object"}, tags=["new"], overwrite=True)
row = get(f"/variables/name/{NAME}_text")
same((row["value"], row["tags"]), ({"now": "an object"}, ["new"]), "overwritten")
same(get(f"/variables/{row['id']}")["name"], f"{NAME}_text", "read by id")

found = post("/variables/filter", {"variables": {"name": {"like_": NAME}, "tags": {"all_": ["stored"]}}})
same({one["name"] for one in found}, {f"{NAME}_{name}" for name in VALUES if name != "text"}, "filter by name and tag")
same(post("/variables/count", {"variables": {"name": {"like_": NAME}}}), len(VALUES) + 1, "count")

same(Variable.unset(f"{NAME}_text"), True, "unset")
same(Variable.unset(f"{NAME}_text"), False, "unset what is not there")
same(request("GET", f"/variables/name/{NAME}_text").status, 404, "read after unset")


async def main() -> None:
    await Variable.aset(f"{NAME}_text", ["async"])
    same(await Variable.aget(f"{NAME}_text"), ["async"], "the asynchronous interface")


asyncio.run(main())
