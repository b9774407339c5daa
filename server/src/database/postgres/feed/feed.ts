/**
 * Tells other processes on a PostgreSQL database what this one has committed, and hears what they have, over a connection of
 * its own. A notification only says that there is something to read, so a lost one delays and loses nothing: the rows are
 * read from a position, which stays through a lost connection.
 */
import type pg from 'pg';
import { attempt, guarded } from '../../../watching/background.ts';
import { FOLLOWED, type Followed, type Follower, type Message, type ReplicaFeed } from '../../replica-feed.ts';
import { columnsOf } from '../../tables/tables.ts';
import { PAGE_ROWS, READ_POSITION, rowsSince } from './position.ts';

/** Commits of this time are announced together: transactions that notify wait for each other. */
const GATHER_MILLISECONDS = 15;
/** Pause between two looks, however many notifications arrive. */
const PAUSE_MILLISECONDS = 10;
/** Time between two looks where notifications arrive, in case one is lost, and where none do: behind some poolers. */
const LOOK_MILLISECONDS = 1000;
const DEAF_LOOK_MILLISECONDS = 250;
/** Messages that wait for a connection; the oldest are dropped. */
const MOST_WAITING = 10_000;
const CLEAN_MILLISECONDS = 60_000;
/** A table of this size is read in a moment without its index, which a large one gets after the start. */
const SMALL_BYTES = 33_554_432;

const CHANNEL = 'signalbox';
const ANNOUNCE = `with told as (
    insert into announcement (origin, topic, subject, what)
      select $1, value ->> 'topic', value -> 'subject', value -> 'what' from jsonb_array_elements($2::jsonb)
  ) select pg_notify('${CHANNEL}', $1)`;
/** Messages are kept for processes whose connection was lost. */
const CLEAN = "delete from announcement where created < now() - interval '10 minutes'";
const READ_QUICK = `select name from (values ('event'), ('log')) as followed (name)
  where pg_relation_size(name::regclass) < ${SMALL_BYTES}
    or exists (select from pg_index where indexrelid = to_regclass('ix_' || name || '_txid') and indisvalid)`;

const READ = {
  event: rowsSince('event', 'received', columnsOf('event'), 'workspace = any($6::integer[])'),
  log: rowsSince('log', 'created', columnsOf('log'), 'workspace = any($6::integer[])'),
  announcement: rowsSince('announcement', 'created', ['topic', 'subject', 'what'], '$6::integer[] is null'),
};
type Table = keyof typeof READ;
type Found = Readonly<Record<string, unknown>> & {
  readonly position: string;
  readonly place: string | null;
  readonly txid: string;
};

interface FeedOptions {
  /** The name of this process in the rows that it stores. */
  readonly origin: string;
  /** Opens a connection of its own; `ended` is called when it has ended. */
  connect(ended: () => void): Promise<pg.Client>;
}

export class PostgresFeed implements ReplicaFeed {
  readonly #options: FeedOptions;
  #client: Promise<pg.Client> | undefined;
  #messages: Message[] = [];
  #hasNews = false;
  #gathering: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #following: Promise<void> | undefined;
  /** The position of each table; undefined before the first look. */
  readonly #positions = new Map<Table, string>();
  #isListening = false;
  /** True once a notification of this process has come back to it. */
  #hears = false;
  /** True after a notification of another process, until the next look begins. */
  #hasHeard = false;
  #wake = () => {};
  #cleanAt = performance.now() + CLEAN_MILLISECONDS;
  #closed = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  rowsCommitted(): void {
    this.#hasNews = true;
    this.#sendSoon();
  }

  announce(message: Message): void {
    this.#messages.push(message);
    if (this.#messages.length > MOST_WAITING) this.#messages.shift();
    this.#sendSoon();
  }

  follow(follower: Follower): void {
    this.#following ??= attempt('what other processes have committed', () => this.#follow(follower));
  }

  /** Sends what has not been sent yet. */
  async close(): Promise<void> {
    clearTimeout(this.#gathering);
    this.#closed = true;
    this.#wake();
    await this.#following;
    await this.#sending;
    await this.#send();
    const client = await this.#client?.catch(() => undefined);
    await client?.end().catch(() => {});
  }

  #sendSoon(): void {
    if (this.#gathering || this.#closed) return;
    const send = () => {
      this.#gathering = undefined;
      this.#sending = this.#sending.then(() => this.#send());
    };
    this.#gathering = setTimeout(guarded('an announcement to other processes', send), GATHER_MILLISECONDS).unref();
  }

  /** Never rejects: the next announcement or look sends what could not be sent. */
  async #send(): Promise<void> {
    if (!this.#hasNews && this.#messages.length === 0) return;
    const messages = this.#messages;
    this.#messages = [];
    this.#hasNews = false;
    try {
      await this.#query(ANNOUNCE, [this.#options.origin, JSON.stringify(messages)]);
    } catch {
      this.#messages = [...messages, ...this.#messages].slice(-MOST_WAITING);
      this.#hasNews = true;
    }
  }

  async #follow(follower: Follower): Promise<void> {
    while (!this.#closed) {
      this.#hasHeard = false;
      try {
        await this.#look(follower);
      } catch {
        // The database is away, which the requests tell. The positions stay.
      }
      if (this.#closed) return;
      await this.#pause(PAUSE_MILLISECONDS);
      if (!this.#hasHeard) await this.#pause(this.#hears ? LOOK_MILLISECONDS : DEAF_LOOK_MILLISECONDS);
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #look(follower: Follower): Promise<void> {
    await this.#listen();
    await this.#send();
    if (performance.now() > this.#cleanAt) {
      this.#cleanAt = performance.now() + CLEAN_MILLISECONDS;
      await this.#query(CLEAN, []);
    }
    if (this.#positions.size === 0) {
      const [row] = await this.#query<{ position: string }>(READ_POSITION, []);
      for (const table of Object.keys(READ) as Table[]) if (row) this.#positions.set(table, row.position);
    }
    const now = await this.#read('announcement', null, (rows) => {
      for (const { topic, subject, what } of rows) follower.message({ topic: topic as string, subject, what });
    });
    const wanted = FOLLOWED.filter((table) => follower.wanted(table).length > 0);
    const quick = wanted.length === 0 ? [] : await this.#query<{ name: Followed }>(READ_QUICK, []);
    for (const table of FOLLOWED) {
      if (quick.some(({ name }) => name === table) && wanted.includes(table)) {
        await this.#read(table, follower.wanted(table), (rows) => {
          const ofWorkspaces = Map.groupBy(rows, ({ workspace }) => workspace as number);
          for (const [workspace, own] of ofWorkspaces) follower.rows(table, workspace, own as never);
        });
      } else this.#positions.set(table, now);
    }
  }

  /** Passes on the rows of other processes since the position of a table, and returns the new position. */
  async #read(table: Table, workspaces: readonly number[] | null, pass: (rows: Found[]) => void): Promise<string> {
    const since = this.#positions.get(table);
    let end: string | undefined;
    let last: Found | undefined;
    for (;;) {
      const place = [last?.txid ?? null, last?.place ?? null, end ?? null];
      const found = await this.#query<Found>(READ[table], [since, this.#options.origin, ...place, workspaces]);
      end ??= found[0]!.position;
      const rows = found.filter((row) => row.place !== null);
      if (rows.length > 0) pass(rows);
      last = rows.at(-1);
      if (rows.length < PAGE_ROWS) break;
    }
    this.#positions.set(table, end);
    return end;
  }

  async #query<Row>(text: string, values: readonly unknown[]): Promise<Row[]> {
    this.#client ??= this.#options
      .connect(() => {
        this.#client = undefined;
        this.#hears = false;
        this.#isListening = false;
        // The next look opens another one, from which notifications arrive.
        this.#wake();
      })
      .catch((error: unknown) => {
        this.#client = undefined;
        throw error;
      });
    const client = await this.#client;
    return (await client.query({ text, values: [...values] })).rows as Row[];
  }

  async #listen(): Promise<void> {
    if (this.#isListening) return;
    await this.#query(`listen ${CHANNEL}`, []);
    const client = await this.#client;
    const heard = ({ payload }: pg.Notification) => {
      if (payload === this.#options.origin) this.#hears = true;
      else {
        this.#hasHeard = true;
        this.#wake();
      }
    };
    client?.on('notification', guarded('a notification of another process', heard));
    this.#isListening = true;
    // It comes back if notifications arrive at all.
    await this.#query('select pg_notify($1, $2)', [CHANNEL, this.#options.origin]);
  }
}
