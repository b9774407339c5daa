/** The tables of MCP servers that this server runs. Like `mcp_server` they stand above workspaces. */

/** A variable of the processes and builds of a server. A `sensitive` value is never read back. */
export const server_variable = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  server_id: 'uuid',
  name: 'text',
  encrypted_value: 'text',
  sensitive: 'boolean',
  description: 'text',
} as const;

/** An announced archive of source code; once `stored`, it is a file of the home folder. */
export const server_upload = {
  id: 'uuid',
  created: 'timestamp',
  server_id: 'uuid',
  size_bytes: 'integer',
  checksum_sha256: 'text',
  stored: 'boolean',
} as const;

/**
 * One attempt to prepare a source for running. `encrypted_environment` holds the variables from the time of the
 * request, until the build has ended; `launch` describes how to start its process, once it has succeeded; `resolved`
 * describes what exactly was built.
 */
export const server_build = {
  id: 'uuid',
  created: 'timestamp',
  server_id: 'uuid',
  actor_name: 'text',
  state: 'text',
  source: 'json',
  entrypoint: 'text?',
  dependency_path: 'text?',
  promote: 'boolean',
  encrypted_environment: 'text?',
  claimed_until: 'timestamp?',
  cancel_requested: 'boolean',
  started: 'timestamp?',
  finished: 'timestamp?',
  error: 'text?',
  launch: 'json?',
  resolved: 'json?',
} as const;

/** A build that serves or served the server's address; at most one of a server is `live`. */
export const server_deployment = {
  id: 'uuid',
  created: 'timestamp',
  server_id: 'uuid',
  build_id: 'uuid',
  actor_name: 'text',
  status: 'text',
  ended: 'timestamp?',
} as const;

/** `stream` is `stdout`, `stderr`, or `system` for lines of this server. */
export const server_build_log = {
  id: 'uuid',
  build_id: 'uuid',
  occurred: 'timestamp',
  stream: 'text',
  message: 'text',
} as const;

export const server_process_log = {
  id: 'uuid',
  server_id: 'uuid',
  occurred: 'timestamp',
  stream: 'text',
  message: 'text',
} as const;

/** The host that alone runs the programs of a server, until `until`, on PostgreSQL. */
export const program_claim = {
  server_id: 'uuid',
  host: 'text',
  until: 'timestamp',
} as const;
