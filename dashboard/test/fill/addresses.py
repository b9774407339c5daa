"""Prints the addresses that the SDK makes for the objects whose kinds and ids standard input names, as JSON."""

import json
import sys

from prefect.utilities.urls import url_for

asked = json.load(sys.stdin)
print(json.dumps({name: url_for(kind, obj_id, **more) for name, (kind, obj_id, more) in asked.items()}))
