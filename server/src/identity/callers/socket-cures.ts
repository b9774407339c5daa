/**
 * Settings for a client that authenticates its requests but not its websockets. Source: measured with clients 3.0.11 to
 * 3.9.1.
 */

/** Advice by the kind of address that the client uses, for a client whose websockets carry no credential. */
export const socketCures = {
  hosted: "set PREFECT_CLOUD_API_URL to the server's address with /api",
  key: 'set PREFECT_API_AUTH_STRING to the API key',
  basic: 'set PREFECT_API_AUTH_STRING to user:password',
  /** Clients before 3.6 send no auth string on websockets. A client of a hosted server sends its key. */
  keyOfOldClient: 'set PREFECT_CLOUD_API_URL to the address in PREFECT_API_URL, or use a newer client',
  oldClient: 'use a client that sends PREFECT_API_AUTH_STRING on websockets (3.7.8 does)',
} as const;
