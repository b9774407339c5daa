"""What an answer to a generated request must be, for schemathesis (SCHEMATHESIS_HOOKS=contract)."""

import schemathesis
from schemathesis.specs.openapi.checks import response_schema_conformance

# The documents name the refusals of a route where they are its own; these can come from every route.
REFUSALS = {400, 401, 403, 404, 405, 406, 408, 409, 410, 411, 413, 415, 422, 423, 428, 429, 431}
# Words of a stack trace or of a file of the server.
INSIDE = (b"node:internal", b"/server/src/", b"node_modules", b"SQLITE_", b"    at ")
# The reference's document calls the auth string write-only; its answer, like ours, has it, as null.
WRITE_ONLY = {"/admin/settings", "/api/admin/settings"}


@schemathesis.check
def answers_as_promised(ctx, response, case):
    status = response.status_code
    if status >= 500:
        retry_after = any(name.lower() == "retry-after" for name in response.headers)
        assert status == 503 and retry_after, f"status {status}"
    if status >= 400:
        for word in INSIDE:
            assert word not in (response.content or b""), f"the answer shows {word!r}"
    if 400 <= status < 500:
        assert status in REFUSALS, f"status {status}"
    elif status < 300 and case.operation.path not in WRITE_ONLY:
        response_schema_conformance(ctx, response, case)
