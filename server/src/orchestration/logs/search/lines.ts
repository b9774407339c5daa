/** Reads lines for a search, newest first. Lines of one moment are ordered by id. */
import { sql } from 'kysely';
import { always, and, type Condition, type Expression } from '../../../database/dialect/dialect.ts';
import { type Where, whereConditions } from '../../../database/lists/where.ts';
import type { Db } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';
import { logFields } from './fields.ts';
import { type LogText, matchesText, mayMatch } from './text.ts';

/** Characters of a message that a list shows. */
const SHOWN_CHARACTERS = 16_384;

/** The end of a page: the next page begins after this line. */
export interface LogPosition {
  readonly timestamp: Timestamp;
  readonly id: string;
}

export interface FoundLine extends LogPosition {
  readonly level: number;
  readonly name: string;
  readonly message: string;
  /** True if the message goes on. */
  readonly is_cut: boolean;
  readonly flow_run_id: string | null;
  readonly task_run_id: string | null;
}

export interface LogSearch {
  readonly where: Where;
  readonly text: LogText;
  readonly since: Timestamp | undefined;
  readonly until: Timestamp | undefined;
}

/** The lines of a part of the table that match, and the position up to which it was read; undefined at its end. */
export interface Part {
  readonly lines: FoundLine[];
  readonly end: LogPosition | undefined;
}

/** Conditions on rows of `log`, except on the text. */
function conditionsOf({ where, since, until }: LogSearch, db: Db): Condition {
  return and([...whereConditions(where, logFields, db.dialect), ...timesOf({ since, until })]);
}

function timesOf({ since, until }: Pick<LogSearch, 'since' | 'until'>): Condition[] {
  return [
    ...(since === undefined ? [] : [sql<boolean>`log.timestamp >= ${since}`]),
    ...(until === undefined ? [] : [sql<boolean>`log.timestamp <= ${until}`]),
  ];
}

export function beyond(after: LogPosition | null | undefined): Condition {
  return after ? sql<boolean>`(log.timestamp, log.id) < (${after.timestamp}, ${after.id})` : always;
}

export function isBeyond({ timestamp, id }: LogPosition, end: LogPosition): boolean {
  return timestamp < end.timestamp || (timestamp === end.timestamp && id < end.id);
}

interface Source {
  /** From `from` on, with `where`. */
  readonly rows: Expression;
  /** Rows that one read takes. */
  readonly most: number;
}

/** The newest matching lines of a source; `end` is set if there may be more. */
export async function readLines(db: Db, search: LogSearch, { rows, most }: Source): Promise<Part> {
  const matches = and([conditionsOf(search, db), ...mayMatch(search.text, sql`log.message`, db.dialect)]);
  const found = await db.query(
    sql<Omit<FoundLine, 'is_cut'> & { bytes: number }>`select log.id, log.timestamp, log.level, log.name,
        substr(log.message, 1, ${sql.lit(SHOWN_CHARACTERS)}) as message, octet_length(log.message) as bytes,
        log.flow_run_id, log.task_run_id
      from ${rows} and ${matches} order by log.timestamp desc, log.id desc limit ${most}`,
  );
  const lines = found
    .map(({ bytes, ...line }) => ({ ...line, is_cut: Buffer.byteLength(line.message) < bytes }))
    .filter(({ message, is_cut }) => matchesText(search.text, message, is_cut));
  return { lines, end: found.length === most ? found.at(-1) : undefined };
}

interface Way {
  /** Selects lines in the order of an index. */
  readonly served: Condition;
  /** True if it is the only condition besides the times. */
  readonly isAll: boolean;
  readonly after: LogPosition | null | undefined;
  readonly limit: number;
}

/** Reading so many lines takes some 0.1 s; most searches end in the first ones. */
const MOST_READ = [2000, 20_000] as const;
const MOST_BYTES = 16 * 1024 * 1024;

/** Reads the newest lines one by one, as far as one request may. */
export async function walkLines(db: Db, search: LogSearch, { served, isAll, after, limit }: Way): Promise<Part> {
  const rows = sql`log where log."workspace" = ${db.workspace} and ${served} and ${beyond(after)}`;
  if (isAll) return readLines(db, search, { rows, most: limit + 1 });
  let part: Part = { lines: [], end: undefined };
  for (const most of MOST_READ) {
    const end = await endOfWindow(db, sql`${rows} and ${and(timesOf(search))}`, most);
    const within = end ? sql<boolean>`(log.timestamp, log.id) >= (${end.timestamp}, ${end.id})` : always;
    part = await readLines(db, search, { rows: sql`${rows} and ${within}`, most: MOST_READ[0] });
    part = { lines: part.lines, end: part.end ?? end };
    if (part.lines.length > limit || end === undefined) break;
  }
  return part;
}

/** The last line that is read; undefined if all are. */
async function endOfWindow(db: Db, rows: Expression, most: number): Promise<LogPosition | undefined> {
  const counted = sql`select timestamp, id, row_number() over (order by timestamp desc, id desc) as place,
      sum(bytes) over (order by timestamp desc, id desc rows unbounded preceding) as bytes
    from (select log.timestamp, log.id, octet_length(log.message) as bytes from ${rows}
      order by log.timestamp desc, log.id desc limit ${sql.lit(most + 1)}) read`;
  const [end] = await db.query(
    sql<LogPosition>`select timestamp, id from (${counted}) counted where place > ${sql.lit(most)} or bytes > ${sql.lit(MOST_BYTES)}
      order by timestamp desc, id desc limit 1`,
  );
  return end;
}

/** The newest lines that may match, from `from` on, and the line at which they begin if there are more. */
export async function newestLines(
  db: Db,
  search: LogSearch,
): Promise<{ readonly rows: Expression; readonly end: LogPosition | undefined }> {
  const all = sql`log where log."workspace" = ${db.workspace} and ${and(timesOf(search))}`;
  const end = await endOfWindow(db, all, MOST_READ[1]);
  const within = end ? [sql<boolean>`log.timestamp >= ${end.timestamp}`] : [];
  const matches = [conditionsOf(search, db), ...mayMatch(search.text, sql`log.message`, db.dialect)];
  return { rows: sql`${all} and ${and([...within, ...matches])}`, end };
}
