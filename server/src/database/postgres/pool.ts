/**
 * A pool of PostgreSQL connections. A broken connection fails only the queries that run on it: the pool closes it and opens
 * another one.
 */
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { ApiError, Unavailable } from '../../errors.ts';
import { PlaceQueue } from '../../fairness/place-queue.ts';
import type { Release } from '../../fairness/places.ts';
import type { Requester } from '../store.ts';
import { AWAY, translateError } from './errors.ts';
import { socketFor } from './socket.ts';

/**
 * Rows are read by their keys from memory or a solid-state disk, so a page of 200 runs is looked up and not found by
 * reading the whole table, as the default price of a random read suggests. Compiling a plan costs more than it saves here.
 */
const SESSION = '-c timezone=UTC -c default_transaction_isolation=read\\ committed -c random_page_cost=1.1 -c jit=off';
const CONNECT_TIMEOUT_MILLISECONDS = 5000;
const KEEP_ALIVE_MILLISECONDS = 10_000;
/** PostgreSQL cancels an overdue query. If no answer comes this much later, the connection has stalled. */
const STALLED_MILLISECONDS = 2000;
const MAX_WAITING = 1000;

interface PoolOptions {
  /** What PostgreSQL calls its connections. */
  readonly name: string;
  readonly connections: number;
  /** How long a query may take; 0 means no limit. */
  readonly statementMilliseconds: number;
  /** How long a query may wait for a row that another transaction holds; 0 means no limit. */
  readonly lockMilliseconds: number;
  /** How long a transaction may wait between its queries: this process may have been frozen. 0 means no limit. */
  readonly idleMilliseconds: number;
  /** Longest wait for a connection. */
  readonly waitMilliseconds: number;
  /** Shares without a limit. */
  readonly exempt?: readonly string[];
  readonly decoder: (oid: number, format: 'text') => (text: string) => unknown;
}

export interface BorrowedConnection {
  readonly client: pg.PoolClient;
  /** Once; closes the connection when `broken` says why. */
  giveBack(broken?: unknown): void;
}

export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #shares: PlaceQueue;

  constructor(url: string, options: PoolOptions) {
    const { statementMilliseconds, lockMilliseconds, idleMilliseconds, waitMilliseconds, connections } = options;
    const limits = [
      `-c statement_timeout=${statementMilliseconds}`,
      `-c lock_timeout=${lockMilliseconds}`,
      `-c idle_in_transaction_session_timeout=${idleMilliseconds}`,
    ];
    this.#shares = new PlaceQueue({ places: connections, waitMilliseconds, maxWaiting: MAX_WAITING }, options.exempt);
    this.#pool = new pg.Pool({
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
      // Its types leave out the argument.
      stream: socketFor as () => Socket,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
      application_name: options.name,
      // Queries of a transaction that do not wait for each other travel together.
      pipeline: true,
      options: [SESSION, ...limits].join(' '),
      ...(statementMilliseconds > 0 ? { query_timeout: statementMilliseconds + STALLED_MILLISECONDS } : {}),
      types: { getTypeParser: options.decoder as never },
    });
    // A connection that breaks while it is lent or idle: its queries fail, and the pool forgets it. Without listeners the
    // error would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    this.#pool.on('error', () => {});
  }

  /** Throws Unavailable when no connection can be made. */
  async borrow(share: string, { signal, caller }: Requester = {}): Promise<BorrowedConnection> {
    const release = await this.#shares.acquire(share, signal, caller);
    try {
      const client = await this.#pool.connect();
      return { client, giveBack: (broken) => giveBack(client, release, broken) };
    } catch (error) {
      release();
      const translated = translateError(error);
      // The database takes no connections, or refuses the password. The client can only try again later.
      throw translated instanceof ApiError ? translated : new Unavailable(AWAY, { cause: error });
    }
  }

  /** Waits until every connection has come back. */
  end(): Promise<void> {
    return this.#pool.end();
  }
}

function giveBack(client: pg.PoolClient, release: Release, broken: unknown): void {
  // Anything but undefined closes it.
  client.release(broken === undefined ? undefined : true);
  release();
}

type Cancellable = pg.PoolClient & {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number | null;
};

/** The request's length in bytes, and the code that tells it from a connection that is opened. */
const CANCEL_LENGTH = 16;
const CANCEL_CODE = 80_877_102;

/**
 * Asks PostgreSQL to cancel the query of `client`; resolves when the request is sent, or cannot be. The connection must
 * not be used again: the request may arrive late. Source: https://www.postgresql.org/docs/current/protocol-flow.html,
 * "Canceling Requests in Progress".
 */
export function cancelQuery(client: pg.PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as Cancellable;
  if (processID === null || secretKey === null) return Promise.resolve();
  const request = Buffer.alloc(CANCEL_LENGTH);
  [CANCEL_LENGTH, CANCEL_CODE, processID, secretKey].forEach((value, index) => {
    request.writeInt32BE(value, index * 4);
  });
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    socket.setTimeout(CONNECT_TIMEOUT_MILLISECONDS, () => socket.destroy());
    // PostgreSQL closes the connection when it has passed the request on.
    socket.once('connect', () => socket.end(request));
    socket.on('error', () => {});
    socket.once('close', () => resolve());
    socket.resume();
  });
}
