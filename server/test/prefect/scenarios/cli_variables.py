"""`prefect variable` sets, overwrites, shows, lists and unsets variables of any kind."""
# scenario: timeout 240 s

from command import prefect, prefect_json
from readback import get, holds, request, same, unique

NAME = unique("setting").replace("-", "_")
path = f"/variables/name/{NAME}"

prefect("variable", "set", NAME, "first", "--tag", "one", "--tag", "two")
stored = get(path)
same((stored["value"], stored["tags"]), ("first", ["one", "two"]), "variable set")
holds("already exists" in prefect("variable", "set", NAME, "second", fails=True), "setting it again")
same(get(path)["value"], "first", "it stays")
prefect("variable", "set", NAME, '{"ratio": 1.0, "list": [1, null, true]}', "--overwrite")
same(get(path)["value"], {"ratio": 1.0, "list": [1, None, True]}, "variable set --overwrite")

holds("ratio" in prefect("variable", "get", NAME), "variable get")
shown = prefect_json("variable", "inspect", NAME)
same((shown["name"], shown["value"]["ratio"]), (NAME, 1.0), "variable inspect")
same([one["name"] for one in prefect_json("variable", "ls") if one["name"] == NAME], [NAME], "variable ls")

prefect("--no-prompt", "variable", "unset", NAME)
same(request("GET", path).status, 404, "variable unset")
for command in ("get", "inspect", "unset"):
    holds("not found" in prefect("--no-prompt", "variable", command, NAME, fails=True), f"variable {command} of none")
