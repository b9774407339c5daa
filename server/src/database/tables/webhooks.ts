/** The tables of inbound webhooks. */

/** An address that turns requests into events. The secret part of the address is stored as its SHA-256. */
export const webhook = {
  workspace: 'integer',
  id: 'uuid',
  created: 'timestamp',
  updated: 'timestamp',
  name: 'text',
  description: 'text',
  template: 'text',
  enabled: 'boolean',
  slug_hash: 'text',
  slug_hint: 'text',
  /** The authentication of senders: `none` or the name of a scheme. */
  signature: 'text',
  encrypted_signature_secret: 'text?',
} as const;

/** The latest requests of a webhook: some that became events, and some that were refused. */
export const webhook_request = {
  workspace: 'integer',
  id: 'uuid',
  webhook_id: 'uuid',
  received: 'timestamp',
  refused: 'boolean',
  /** Status of the answer. */
  status: 'integer',
  method: 'text',
  body_bytes: 'integer',
  reason: 'text?',
  event_id: 'uuid?',
  event: 'text?',
} as const;
