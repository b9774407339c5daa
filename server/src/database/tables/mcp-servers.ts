/** The tables of MCP servers and of the requests that passed the gateway. They are above workspaces. */

/**
 * An MCP server of an organization. `connection` is its location (the shape depends on `kind`), `encrypted_credential`
 * the credential that the gateway presents there. A version rises with each change of the thing it names, so data
 * derived from a version can be cached. `manifest_due` is the time at which the server's manifest must be read; null
 * once it was. `workspace_id` is the workspace of a built-in server; null for the other kinds. `stopped_at` is the time
 * at which a person stopped the programs of a hosted server; null while requests may start them. `personal_credential`
 * is the kind of credential with which people use their own accounts there; null if they do not.
 */
export const mcp_server = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  organization_id: 'uuid',
  slug: 'text',
  name: 'text',
  description: 'text',
  kind: 'text',
  visibility: 'text',
  default_role: 'text?',
  authentication: 'text',
  denied_as: 'text',
  policy: 'json',
  policy_version: 'integer',
  connection: 'json',
  encrypted_credential: 'text?',
  connection_version: 'integer',
  manifest: 'json?',
  manifest_version: 'integer',
  manifest_read_at: 'timestamp?',
  manifest_error: 'text?',
  manifest_due: 'timestamp?',
  stopped_at: 'timestamp?',
  workspace_id: 'uuid?',
  personal_credential: 'json?',
  encrypted_client_secret: 'text?',
  limits: 'json?',
  approved_tools: 'json?',
} as const;

/** Requests of quotas, as older servers count them; see `rate`. */
export const mcp_quota = {
  counter: 'text',
  server_id: 'uuid',
  taken: 'json',
  updated: 'timestamp',
} as const;

/** The concurrent requests that a process may have for a counter; `holder` is the process. */
export const mcp_quota_place = {
  counter: 'text',
  holder: 'uuid',
  server_id: 'uuid',
  places: 'integer',
  expires_at: 'timestamp',
} as const;

/**
 * The last request of a person for access to a server: `open`, `approved`, `refused` or `withdrawn`. `role` is the
 * granted role, `answer` the reason for a refusal. It ends with the membership and with the server.
 */
export const access_request = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  organization_id: 'uuid',
  server_id: 'uuid',
  user_id: 'uuid',
  reason: 'text',
  state: 'text',
  role: 'text?',
  answer: 'text?',
  decided_at: 'timestamp?',
  decided_by: 'text?',
} as const;

/** This gateway as an OAuth client of a server's authorization server; `encrypted_client` holds the client's data. */
export const upstream_client = {
  server_id: 'uuid',
  created: 'timestamp',
  redirect_uri: 'text',
  encrypted_client: 'text',
} as const;

/**
 * A person's account at a server behind the gateway: an API key, or the tokens of a sign-in. It ends with the
 * membership and with the server. `problem` is the reason why the person must connect again; `renewing_until` is set
 * while a process renews the tokens.
 */
export const upstream_credential = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  organization_id: 'uuid',
  user_id: 'uuid',
  server_id: 'uuid',
  kind: 'text',
  encrypted_secret: 'text',
  scope: 'text?',
  expires_at: 'timestamp?',
  problem: 'text?',
  version: 'integer',
  renewing_until: 'timestamp?',
} as const;

/**
 * One request to a serving URL: its caller, capability and outcome, and for a remix the server that it went to. It
 * never contains the key, arguments or results. The id holds the time (`idAt`), so the key is in the order of time for
 * each server.
 */
export const mcp_request = {
  server_id: 'uuid',
  id: 'uuid',
  occurred: 'timestamp',
  actor_type: 'text?',
  actor_id: 'uuid?',
  actor_name: 'text?',
  method: 'text?',
  capability: 'text?',
  status: 'integer',
  error_code: 'integer?',
  decision: 'text',
  reason: 'text',
  duration_microseconds: 'integer',
  request_bytes: 'integer',
  response_bytes: 'integer',
  session: 'uuid?',
  client_name: 'text?',
  client_version: 'text?',
  protocol_version: 'text?',
  source_id: 'uuid?',
  failure: 'text?',
  failure_text: 'text?',
  started_run_id: 'uuid?',
} as const;

/** A session that its client has ended; kept until the longest lifetime of a session is over. */
export const mcp_ended_session = {
  id: 'uuid',
  expires_at: 'timestamp',
} as const;

/** A task of an MCP server: `id` is a hash of its owner and its id at the server, `sealed` the id that clients have. */
export const mcp_task = {
  id: 'text',
  created: 'timestamp',
  server_id: 'uuid',
  actor_id: 'text',
  sealed: 'text',
} as const;

/**
 * The totals of the requests of one session, written with the requests. The id is not the one with which the client
 * uses the session.
 */
export const mcp_session = {
  server_id: 'uuid',
  id: 'uuid',
  actor_type: 'text?',
  actor_id: 'uuid?',
  actor_name: 'text?',
  client_name: 'text?',
  client_version: 'text?',
  protocol_version: 'text?',
  first_activity: 'timestamp',
  last_activity: 'timestamp',
  requests: 'integer',
  tool_calls: 'integer',
  errors: 'integer',
} as const;
