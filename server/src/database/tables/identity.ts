/** The tables of organizations, people and programs, and their rights. They are above workspaces. */

/**
 * Owns workspaces and servers; the "account" of the hosted addresses. It accepts no key that is older than
 * `max_key_age_days`, if that is set.
 */
export const organization = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  slug: 'text',
  max_key_age_days: 'integer?',
} as const;

/** A workspace row for each tenant; other tables refer to its `key`. */
export const workspace = {
  key: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  organization_id: 'uuid',
  handle: 'text',
  description: 'text',
  default_role: 'text?',
} as const;

/** Deleted workspaces; `emptied` once no row refers to them. Their keys are never reused. */
export const removed_workspace = {
  key: 'integer',
  removed: 'timestamp',
  emptied: 'timestamp?',
} as const;

/**
 * A person. `email` is in lower case; without `password_hash` the person signs in some other way, or not yet.
 * `proven_at` is the time at which the operator or an identity provider confirmed that the address belongs to this
 * person; an invitation does not confirm it.
 */
export const user_account = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  email: 'text',
  name: 'text?',
  password_hash: 'text?',
  state: 'text',
  proven_at: 'timestamp?',
} as const;

/** A person's identity at an identity provider. */
export const user_identity = {
  issuer: 'text',
  subject: 'text',
  user_id: 'uuid',
  created: 'timestamp',
} as const;

export const membership = {
  organization_id: 'uuid',
  user_id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  role: 'text',
} as const;

export const service_account = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  organization_id: 'uuid',
  name: 'text',
  description: 'text',
  role: 'text',
  state: 'text',
} as const;

/**
 * `hash` is the SHA-256 of the secret. The owner is a user or a service account. `replaced_by` is the key that a roll
 * made in its place. `warned_at` is the time of the last mail that warned of the key's end.
 */
export const api_key = {
  id: 'uuid',
  created: 'timestamp',
  hash: 'text',
  descriptor: 'text',
  owner_type: 'text',
  owner_id: 'uuid',
  revoked_at: 'timestamp?',
  last_used_at: 'timestamp?',
  expires_at: 'timestamp?',
  replaced_by: 'uuid?',
  warned_at: 'timestamp?',
} as const;

/** A role that a user or a service account has on a workspace or an MCP server. */
export const resource_grant = {
  resource_type: 'text',
  resource_id: 'uuid',
  actor_type: 'text',
  actor_id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  role: 'text',
} as const;

export const invitation = {
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  organization_id: 'uuid',
  email: 'text',
  role: 'text',
  token_hash: 'text',
  state: 'text',
  expires_at: 'timestamp',
  invited_by: 'uuid?',
} as const;

/** A browser that signed in; `id` is the SHA-256 of the cookie. */
export const session = {
  id: 'text',
  created: 'timestamp',
  user_id: 'uuid',
  csrf_token: 'text',
  expires_at: 'timestamp',
  last_seen_at: 'timestamp',
} as const;

/** A browser that has signed this person in before; the cookie is kept as SHA-256 and does not sign in. */
export const known_device = {
  token_hash: 'text',
  user_id: 'uuid',
  created: 'timestamp',
  expires_at: 'timestamp',
} as const;

/**
 * A count over time: attempts of people, or the requests of a quota of a server. `taken` holds the number of
 * requests in each second of the last minute; it is null for attempts. `full_until` is the time at which nothing counts
 * any more, in milliseconds since 1970.
 */
export const rate = {
  key: 'text',
  server_id: 'uuid?',
  taken: 'json?',
  full_until: 'integer',
} as const;

/** Attempts, as older servers count them; see `rate`. */
export const attempt = {
  key: 'text',
  full_until: 'integer',
} as const;

/** A device that waits for a person to approve it; codes are kept as SHA-256. */
export const device_authorization = {
  id: 'uuid',
  created: 'timestamp',
  device_code_hash: 'text',
  user_code: 'text',
  device_name: 'text?',
  state: 'text',
  user_id: 'uuid?',
  expires_at: 'timestamp',
  last_polled_at: 'timestamp?',
  client_id: 'text?',
  platform: 'text?',
  address: 'text?',
} as const;

/** The link of the first administrator, at most one; the token is kept as SHA-256. */
export const set_up_link = {
  token_hash: 'text',
  created: 'timestamp',
  expires_at: 'timestamp',
} as const;

/** A link with which a person chooses a new password; the token is kept as SHA-256. */
export const password_reset = {
  token_hash: 'text',
  created: 'timestamp',
  user_id: 'uuid',
  expires_at: 'timestamp',
} as const;

/** The audit: each entry is written in the transaction of the recorded act. It names the actor, never the key. */
export const audit_entry = {
  id: 'uuid',
  organization_id: 'uuid?',
  occurred: 'timestamp',
  actor_type: 'text',
  actor_id: 'uuid?',
  actor_name: 'text',
  action: 'text',
  target_type: 'text',
  target_id: 'text?',
  target_name: 'text?',
  address: 'text?',
  details: 'json',
} as const;

/** One row, whose `version` rises with every change of access. Triggers keep it. */
export const access_version = {
  id: 'integer',
  version: 'wide_integer',
} as const;
