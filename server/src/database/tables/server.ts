/** Tables of facts that a server keeps about its database. */

/** One row, written to test whether the database accepts writes. */
export const write_probe = { writes: 'integer' } as const;

/**
 * A process of this installation, as the others find it, on PostgreSQL. `address` is `unix:/path` or `host:port`, `host`
 * its host of foreign programs, `claims` the ports and endpoints that targets of users must not reach.
 */
export const peer = {
  id: 'text',
  address: 'text',
  build: 'text',
  host: 'text?',
  claims: 'json',
  seen: 'timestamp',
} as const;
