"""`prefect config`, `profile`, `version` and `server status` know the server that is asked."""
# scenario: timeout 240 s

import importlib.metadata

from command import prefect, prefect_json
from readback import URL, holds, same, unique

NAME = unique("profile")

status = prefect_json("server", "status")
same((status["api_url"], status["status"]), (URL, "available"), "server status")
holds("available" in prefect("server", "status", "--wait", "--timeout", "20").lower(), "server status --wait")
nowhere = prefect("server", "status", fails=True, PREFECT_API_URL="http://127.0.0.1:9/api")
holds("not available" in nowhere, f"server status without a server: {nowhere}")

holds(URL in prefect("config", "view"), "config view")
prefect("config", "validate")
version = prefect("version")
holds(importlib.metadata.version("prefect") in version and "0.8.4" in version, f"version: {version}")

prefect("profile", "create", NAME)
holds(NAME in prefect("profile", "ls"), "profile ls")
prefect("config", "set", "PREFECT_LOGGING_LEVEL=ERROR", "--profile", NAME)
holds("ERROR" in prefect("profile", "inspect", NAME), "profile inspect")
# Tries to connect, and says what it found.
holds(NAME in prefect("profile", "use", NAME), "profile use")
holds(URL in prefect("config", "view"), "the server of the environment stays")
prefect("profile", "use", "ephemeral")
prefect("--no-prompt", "profile", "delete", NAME)
holds(NAME not in prefect("profile", "ls"), "profile delete")
