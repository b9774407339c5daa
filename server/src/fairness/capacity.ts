/**
 * The most that one process takes: the totals of its gates. Several processes of one machine divide them. `docs/limits.md`
 * says how much of each total one caller gets, and what happens beyond it.
 */
const MEGABYTE = 1024 * 1024;

export interface Capacity {
  /** Open connections of clients. */
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
}

export function capacityOf(settings: Settings): Capacity {
  return {
    connections: settings.maxConnections,
    requests: settings.maxRequests,
    serverRequests: settings.maxServerRequests,
    waitingSockets: settings.maxWaitingSockets,
    bodyBytes: settings.maxReceivingBytes,
    answerBytes: 256 * MEGABYTE,
    streamBytes: 128 * MEGABYTE,
    passwordHashes: 2,
    outgoingActions: 64,
    mails: 6,
  };
}
