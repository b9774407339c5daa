/**
 * A pool of PostgreSQL connections. A broken connection fails only the queries that run on it: the pool closes it and
 * opens another.
 */
import { connect, type Socket } from 'node:net';
import pg from 'pg';
import { ApiError, Unavailable } from '../../errors.ts';
import { Gate, type Release, TWO_THIRDS } from '../../fairness/gate.ts';
import { guarded } from '../../watching/background.ts';
import type { Requester } from '../store.ts';
import { AWAY, translateError } from './errors.ts';
import { socketFor } from './socket.ts';

/**
 * Options of a session. Rows are read by key from memory or a solid-state disk, so a lower price of random reads makes
 * the planner look up a page of 200 runs instead of reading the whole table. Compiling plans costs more than it saves
 * here.
 */
const SESSION = '-c timezone=UTC -c default_transaction_isolation=read\\ committed -c random_page_cost=1.1 -c jit=off';
const CONNECT_TIMEOUT_MILLISECONDS = 5000;
const KEEP_ALIVE_MILLISECONDS = 10_000;
/** PostgreSQL cancels an overdue query. If no answer comes this much later, the connection has stalled. */
const STALLED_MILLISECONDS = 2000;
const MAX_WAITING = 1000;

interface SessionOptions {
  /** The name of the connections in PostgreSQL. */
  readonly name: string;
  /** The name of this process in the rows that its connections store. */
  readonly origin?: string;
  /** Longest duration of a query; 0 means no limit. */
  readonly statementMilliseconds: number;
  /** Longest wait of a query for a row that another transaction holds; 0 means no limit. */
  readonly lockMilliseconds: number;
  /** Longest pause of a transaction between its queries, in case this process is frozen; 0 means no limit. */
  readonly idleMilliseconds: number;
  readonly decoder: (oid: number, format: 'text') => (text: string) => unknown;
}

interface PoolOptions extends SessionOptions {
  readonly connections: number;
  /** Longest wait for a connection. */
  readonly waitMilliseconds: number;
  /** Shares without a limit. */
  readonly exempt?: readonly string[];
}

export interface BorrowedConnection {
  readonly client: pg.PoolClient;
  /** Call it once. It closes the connection if `broken` is given. */
  giveBack(broken?: unknown): void;
}

export class PostgresPool {
  readonly #pool: pg.Pool;
  readonly #gate: Gate;

  constructor(url: string, options: PoolOptions) {
    const { waitMilliseconds, connections } = options;
    this.#gate = new Gate({
      name: 'database connections',
      places: connections,
      levels: [TWO_THIRDS],
      exempt: options.exempt,
      waits: { milliseconds: waitMilliseconds, mostOfOne: MAX_WAITING },
      busy: 'The database is busy.',
    });
    this.#pool = new pg.Pool({ ...sessionOf(url, options), max: connections });
    // A connection may break while it is borrowed or idle: its queries fail, and the pool removes it. Without listeners
    // the error would end the process.
    this.#pool.on('connect', (client) => client.on('error', () => {}));
    this.#pool.on('error', () => {});
  }

  /** Throws Unavailable when no connection can be made. */
  async borrow(share: string, { signal, caller }: Requester = {}): Promise<BorrowedConnection> {
    const release = await this.#gate.acquire([share, caller ?? ''], { signal });
    try {
      const client = await this.#pool.connect();
      return { client, giveBack: (broken) => giveBack(client, release, broken) };
    } catch (error) {
      release();
      const translated = translateError(error);
      // The database accepts no connections, or refuses the password. The client can only try again later.
      throw translated instanceof ApiError ? translated : new Unavailable(AWAY, { cause: error });
    }
  }

  /** Waits until all connections have been returned. */
  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** Opens a connection outside the pools. `ended` is called once, when it has broken or was closed. */
export async function connectAlone(url: string, options: SessionOptions, ended: () => void): Promise<pg.Client> {
  const client = new pg.Client(sessionOf(url, options));
  client.on('error', () => {});
  client.once('end', guarded('the end of a connection to PostgreSQL', ended));
  await client.connect();
  return client;
}

function sessionOf(url: string, options: SessionOptions): pg.ClientConfig {
  const { name, origin, statementMilliseconds, lockMilliseconds, idleMilliseconds, decoder } = options;
  const settings = [
    SESSION,
    `-c statement_timeout=${statementMilliseconds}`,
    `-c lock_timeout=${lockMilliseconds}`,
    `-c idle_in_transaction_session_timeout=${idleMilliseconds}`,
    ...(origin === undefined ? [] : [`-c signalbox.origin=${origin}`]),
  ];
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MILLISECONDS,
    // The driver's types omit the argument.
    stream: socketFor as () => Socket,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MILLISECONDS,
    application_name: name,
    // Queries of a transaction that do not wait for each other are sent together.
    pipeline: true,
    options: settings.join(' '),
    ...(statementMilliseconds > 0 ? { query_timeout: statementMilliseconds + STALLED_MILLISECONDS } : {}),
    types: { getTypeParser: decoder as never },
  };
}

function giveBack(client: pg.PoolClient, release: Release, broken: unknown): void {
  // A value other than undefined closes it.
  client.release(broken === undefined ? undefined : true);
  release();
}

type Cancellable = pg.PoolClient & {
  readonly host: string;
  readonly port: number;
  readonly processID: number | null;
  readonly secretKey: number | null;
};

/** The length of the request in bytes, and the code that distinguishes it from the opening of a connection. */
const CANCEL_LENGTH = 16;
const CANCEL_CODE = 80_877_102;

/**
 * Asks PostgreSQL to cancel the query of `client`; resolves when the request has been sent or has failed. The
 * connection must not be used again: the request may arrive late. Source:
 * https://www.postgresql.org/docs/current/protocol-flow.html, "Canceling Requests in Progress".
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
    // PostgreSQL closes the connection after it has forwarded the request.
    socket.once('connect', () => socket.end(request));
    socket.on('error', () => {});
    socket.once('close', () => resolve());
    socket.resume();
  });
}
