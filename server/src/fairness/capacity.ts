/**
 * The most that one process takes: the totals of its gates. Several processes of one machine divide them. `docs/limits.md`
 * says how much of each total one caller gets, and what happens beyond it.
 */
const MEGABYTE = 1024 * 1024;
const LEAST_DATABASE_CONNECTIONS = 3;

export interface Capacity {
  /** Open connections of clients. Not divided: what accepts the connections counts them. */
  readonly connections: number;
  /** Requests that are processed at once. */
  readonly requests: number;
  /** Requests to MCP servers that wait for their answers. */
  readonly serverRequests: number;
  /** Sockets whose caller is not known yet. */
  readonly waitingSockets: number;
  /** Bytes of request bodies. */
  readonly bodyBytes: number;
  /** Bytes of whole answers that wait for their readers. */
  readonly answerBytes: number;
  /** Bytes of live streams that wait for their readers. */
  readonly streamBytes: number;
  /** Hashes of passwords at once. Each takes 19 MiB and a thread of the pool that file and DNS look-ups use. */
  readonly passwordHashes: number;
  /** Actions of automations that are being sent to other servers. */
  readonly outgoingActions: number;
  /** Connections to the mail server. */
  readonly mails: number;
}

interface Settings {
  readonly maxConnections: number;
  readonly maxRequests: number;
  readonly maxServerRequests: number;
  readonly maxWaitingSockets: number;
  readonly maxReceivingBytes: number;
  readonly maxBodyBytes: number;
}

/** A tenant may have a quarter of the bodies, and every tenant must be able to send the largest one. */
const BODIES_FOR_TENANT = 4;

/** The share of one of several processes that serve on this machine. */
export function capacityOf(settings: Settings, processes = 1): Capacity {
  const share = (whole: number) => Math.max(1, Math.floor(whole / processes));
  return {
    connections: settings.maxConnections,
    requests: share(settings.maxRequests),
    serverRequests: share(settings.maxServerRequests),
    waitingSockets: share(settings.maxWaitingSockets),
    bodyBytes: Math.max(
      share(settings.maxReceivingBytes),
      Math.min(settings.maxReceivingBytes, BODIES_FOR_TENANT * settings.maxBodyBytes),
    ),
    answerBytes: share(256 * MEGABYTE),
    streamBytes: share(128 * MEGABYTE),
    passwordHashes: share(2),
    // One of the processes runs the services.
    outgoingActions: 64,
    mails: share(6),
  };
}

/** The connections for requests of one of several processes: with fewer, a process would wait for itself. */
export function databaseConnectionsOf(whole: number, processes: number): number {
  return processes === 1 ? whole : Math.max(LEAST_DATABASE_CONNECTIONS, Math.floor(whole / processes));
}
