/**
 * Tells other processes on a PostgreSQL database what this one has committed, and hears what they have, over a connection of
 * its own. A notification only says that there is something to read, so a lost one delays and loses nothing: the rows are
 * read from a position, which stays through a lost connection.
 */
import type pg from 'pg';
import { BoundedMap } from '../../../values/bounded-map.ts';
import { attempt, guarded, inBackground } from '../../../watching/background.ts';
import {
  FOLLOWED,
  type Followed,
  type Follower,
  type Message,
  type ReplicaFeed,
  type Siblings,
} from '../../replica-feed.ts';
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
const MOST_SIBLINGS = 256;
/**
 * A table of this size is read in a moment without its index, which a large one gets after the start. A divided table
 * always has it.
 */
const SMALL_BYTES = 33_554_432;

const CHANNEL = 'signalbox';
const ANNOUNCE = `with told as (
    insert into announcement (origin, topic, subject, what)
      select $1, value ->> 'topic', value -> 'subject', value -> 'what' from jsonb_array_elements($2::jsonb)
  ) select pg_notify('${CHANNEL}', $3)`;
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
const TABLES = Object.keys(READ) as Table[];
type Found = Readonly<Record<string, unknown>> & {
  readonly position: string;
  readonly place: string | null;
  readonly txid: string;
};

/** The next row to read: the first since `since`, or behind the row at `txid` and `place` of a look that ends at `end`. */
interface Position {
  readonly since: string;
  readonly end?: string;
  readonly txid?: string;
  readonly place?: string | null;
}

interface FeedOptions {
  readonly siblings?: Siblings | undefined;
  /** The name of this process in the rows that it stores. */
  readonly origin: string;
  /** Opens a connection of its own; `ended` is called when it has ended. */
  connect(ended: () => void): Promise<pg.Client>;
}

export class PostgresFeed implements ReplicaFeed {
  readonly #options: FeedOptions;
  #client: Promise<pg.Client> | undefined;
  #messages: Message[] = [];
  /** Tables with rows that other processes have not been told of. */
  #news = new Set<Table>();
  #gathering: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();
  #following: Promise<void> | undefined;
  /** Empty before the first look. */
  readonly #positions = new Map<Table, Position>();
  #isListening = false;
  /** True once a notification of this process has come back to it. */
  #hears = false;
  /** Tables of which other processes have told since the last look began. */
  #heard = new Set<Table>();
  /** The names of processes that tell what they have committed past the database. */
  readonly #siblings = new BoundedMap<string, true>({ name: 'processes of this server', most: MOST_SIBLINGS });
  /** Tables that are read in a moment. */
  readonly #quick = new Set<Followed>();
  #wake = () => {};
  #cleanAt = performance.now() + CLEAN_MILLISECONDS;
  #closed = false;

  constructor(options: FeedOptions) {
    this.#options = options;
    options.siblings?.hear((origin, tables) => {
      this.#siblings.getOrMake(origin, () => true);
      this.#heardOf(tables);
    });
  }

  get origin(): string {
    return this.#options.origin;
  }

  rowsCommitted(table: Followed): void {
    this.#news.add(table);
    this.#sendSoon();
  }

  announce(message: Message): void {
    this.#news.add('announcement');
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
    if (this.#news.size === 0) return;
    const [messages, news] = [this.#messages, this.#news];
    this.#messages = [];
    this.#news = new Set();
    const { origin } = this.#options;
    try {
      await this.#query(ANNOUNCE, [origin, JSON.stringify(messages), [origin, ...news].join(' ')]);
      this.#options.siblings?.tell(origin, [...news]);
    } catch {
      this.#messages = [...messages, ...this.#messages].slice(-MOST_WAITING);
      for (const table of news) this.#news.add(table);
    }
  }

  async #follow(follower: Follower): Promise<void> {
    let tables = TABLES;
    while (!this.#closed) {
      try {
        await this.#look(follower, tables);
      } catch {
        // The database is away, which the requests tell. The positions stay.
      }
      if (this.#closed) return;
      await this.#pause(PAUSE_MILLISECONDS);
      if (this.#heard.size === 0) await this.#pause(this.#hears ? LOOK_MILLISECONDS : DEAF_LOOK_MILLISECONDS);
      tables = this.#heard.size === 0 ? TABLES : TABLES.filter((table) => this.#heard.has(table));
      this.#heard.clear();
    }
  }

  #heardOf(tables: readonly string[]): void {
    for (const table of TABLES) if (tables.includes(table)) this.#heard.add(table);
    this.#wake();
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

  async #look(follower: Follower, tables: readonly Table[]): Promise<void> {
    await this.#listen();
    await this.#send();
    if (performance.now() > this.#cleanAt) {
      this.#cleanAt = performance.now() + CLEAN_MILLISECONDS;
      await this.#query(CLEAN, []);
    }
    const [now] = await this.#query<{ since: string }>(READ_POSITION, []);
    if (now === undefined) return;
    for (const table of TABLES) if (!this.#positions.has(table)) this.#positions.set(table, now);
    for (const table of tables) {
      const workspaces = table === 'announcement' ? null : follower.wanted(table);
      if (table === 'announcement') {
        await this.#read(table, workspaces, (rows) => {
          for (const { topic, subject, what } of rows) follower.message({ topic: topic as string, subject, what });
        });
      } else if (workspaces?.length && (await this.#isQuick(table))) {
        await this.#read(table, workspaces, (rows) => {
          const ofWorkspaces = Map.groupBy(rows, ({ workspace }) => workspace as number);
          for (const [workspace, own] of ofWorkspaces) follower.rows(table, workspace, own as never);
        });
      } else this.#positions.set(table, now);
    }
  }

  async #isQuick(table: Followed): Promise<boolean> {
    if (this.#quick.size < FOLLOWED.length) {
      for (const { name } of await this.#query<{ name: Followed }>(READ_QUICK, [])) this.#quick.add(name);
    }
    return this.#quick.has(table);
  }

  /** Passes on the rows of other processes since the position of a table. After an error it goes on behind the last row. */
  async #read(table: Table, workspaces: readonly number[] | null, pass: (rows: Found[]) => void): Promise<void> {
    for (let isWhole = false; !isWhole; ) {
      const { since, end: known, txid, place } = this.#positions.get(table)!;
      const values = [since, this.#options.origin, txid, place, known, workspaces];
      const found = await this.#query<Found>(READ[table], values, `since_${table}`);
      const end = known ?? found[0]!.position;
      const rows = found.filter((row) => row.place !== null);
      const last = rows.at(-1);
      if (rows.length > 0) pass(rows);
      isWhole = rows.length < PAGE_ROWS;
      this.#positions.set(table, isWhole ? { since: end } : { since, end, txid: last!.txid, place: last!.place });
    }
  }

  /**
   * An error ends the connection: one that has stalled would answer nothing else either. A statement with a name is
   * planned once: planning a query of all partitions takes longer than a look.
   */
  async #query<Row>(text: string, values: readonly unknown[], name?: string): Promise<Row[]> {
    const opening = this.#client ?? this.#connect();
    this.#client = opening;
    try {
      const client = await opening;
      return (await client.query({ text, values: [...values], ...(name ? { name } : {}) })).rows as Row[];
    } catch (error) {
      this.#lose(opening);
      throw error;
    }
  }

  #connect(): Promise<pg.Client> {
    const opening: Promise<pg.Client> = this.#options.connect(() => this.#lose(opening));
    return opening;
  }

  #lose(opening: Promise<pg.Client>): void {
    if (this.#client !== opening) return;
    this.#client = undefined;
    this.#hears = false;
    this.#isListening = false;
    inBackground('the end of a lost connection', () => opening.then((client) => client.end()).catch(() => {}));
    // The next look opens another one, from which notifications arrive.
    this.#wake();
  }

  async #listen(): Promise<void> {
    if (this.#isListening) return;
    await this.#query(`listen ${CHANNEL}`, []);
    const client = await this.#client;
    const heard = ({ payload = '' }: pg.Notification) => {
      const [origin, ...tables] = payload.split(' ');
      if (origin === this.#options.origin) this.#hears = true;
      // A sibling has told it already.
      else if (origin === undefined || this.#siblings.get(origin) === undefined) this.#heardOf(tables);
    };
    client?.on('notification', guarded('a notification of another process', heard));
    this.#isListening = true;
    // It comes back if notifications arrive at all.
    await this.#query('select pg_notify($1, $2)', [CHANNEL, this.#options.origin]);
  }
}
