/** The tables of MCP clients that people have signed in with the browser. They are above workspaces. */

/**
 * A client that registered itself; `metadata` is the answer to its registration. `used_at` is the time at which a
 * person last gave it access; an unused client is removed soon. `share` is the network that it registered from.
 */
export const oauth_client = {
  id: 'text',
  created: 'timestamp',
  metadata: 'json',
  used_at: 'timestamp?',
  share: 'text?',
} as const;

/**
 * A person's permission for a client to use one MCP server. It ends with the person's membership and with the server;
 * its tokens end with it. `client_name` is the client's own description.
 */
export const oauth_connection = {
  id: 'uuid',
  created: 'timestamp',
  user_id: 'uuid',
  organization_id: 'uuid',
  server_id: 'uuid',
  client_id: 'text',
  client_name: 'text',
  redirect_uri: 'text',
  resource: 'text',
  scope: 'text',
  expires_at: 'timestamp',
  last_used_at: 'timestamp?',
} as const;

/** An authorization code, an access token or a refresh token; `hash` is its SHA-256. */
export const oauth_token = {
  hash: 'text',
  kind: 'text',
  connection_id: 'uuid',
  created: 'timestamp',
  scope: 'text',
  payload: 'json',
  expires_at: 'timestamp',
  consumed_at: 'timestamp?',
} as const;

/** A sign-in in progress, or an assertion that must not be used twice; `hash` is the SHA-256 of its name. */
export const oauth_flow = {
  hash: 'text',
  kind: 'text',
  payload: 'json',
  expires_at: 'timestamp',
} as const;
