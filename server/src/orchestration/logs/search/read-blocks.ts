/** Finds lines by the index of words: the blocks that have all words, newest first, and the matching lines in them. */
import { sql } from 'kysely';
import { always, and, type Condition, type IndexedWord } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { LAST_ID } from '../../../values/id.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { numberAt, numberBeyond, timeOfNumber } from './blocks.ts';
import {
  beyond,
  type FoundLine,
  isBeyond,
  type LogPosition,
  type LogSearch,
  type Part,
  readLines,
  walkLines,
} from './lines.ts';

interface Wanted {
  readonly now: Timestamp;
  readonly limit: number;
  readonly after: LogPosition | null | undefined;
  /** Without words, all blocks of the runs. */
  readonly words: readonly IndexedWord[];
  readonly runIds: readonly string[] | undefined;
}

type Block = Pick<Row<'log_block'>, 'number' | 'flow_run_id' | 'oldest' | 'newest' | 'lines' | 'bytes'>;

/** Blocks that one query finds: few for a page that is soon full, then more. */
const BLOCKS = [200, 2000] as const;
/** One request reads at most so much. */
const MOST = { blocks: 20_000, lines: 20_000, bytes: 16 * 1024 * 1024 } as const;
/** One query of lines reads at most so much. */
const MOST_OF_GROUP = { lines: 2000, bytes: 4 * 1024 * 1024 } as const;
const DAY_SECONDS = 86_400;
/**
 * The times before the newest block in which one query looks, before it looks in all: a database that finds every block with
 * a word before it takes the newest finds fewer of a frequent word.
 */
const SPANS = [DAY_SECONDS / 4, 2 * DAY_SECONDS, 16 * DAY_SECONDS] as const;

export async function readBlocks(db: Db, search: LogSearch, wanted: Wanted): Promise<Part> {
  const { after, limit } = wanted;
  const lines = new Map<string, FoundLine>();
  const read = { blocks: 0, lines: 0, bytes: 0 };
  /** The lines up to a position, after which come those of blocks that were not read. */
  const until = (end: LogPosition): Part => ({ lines: ordered(lines).filter((line) => !isBeyond(line, end)), end });
  /**
   * A page ends between the times of blocks. If more lines than a request may read share one time, no page would get
   * beyond it, so its lines are read one by one.
   */
  const spentAt = (end: LogPosition): Part | Promise<Part> =>
    !after || isBeyond(end, after) ? until(end) : walkLines(db, search, { served: always, isAll: false, after, limit });
  for await (const found of pagesOfBlocks(db, search, wanted)) {
    read.blocks += found.blocks.length;
    for (const group of groupsOf(found.blocks.filter(({ flow_run_id: id }) => isOfRuns(id, wanted.runIds)))) {
      const part = await linesOf(db, search, group, after);
      for (const line of part.lines) lines.set(line.id, line);
      for (const block of group) {
        read.lines += block.lines;
        read.bytes += block.bytes;
      }
      const end = endAt(group.at(-1)!.number);
      if (part.end && isBeyond(end, part.end)) return until(part.end);
      const settled = until(end);
      if (settled.lines.length > limit) return settled;
      if (read.lines >= MOST.lines || read.bytes >= MOST.bytes) return spentAt(end);
    }
    if (read.blocks >= MOST.blocks) return spentAt(endAt(found.below));
  }
  return { lines: ordered(lines), end: undefined };
}

/** Every block below the number has only lines beyond it. */
function endAt(number: number): LogPosition {
  return { timestamp: timeOfNumber(number), id: LAST_ID };
}

function ordered(lines: ReadonlyMap<string, FoundLine>): FoundLine[] {
  return [...lines.values()].sort((one, other) => (isBeyond(one, other) ? 1 : -1));
}

function isOfRuns(id: string | null, runIds: readonly string[] | undefined): boolean {
  return runIds === undefined || (id !== null && runIds.includes(id));
}

interface BlockPage {
  readonly blocks: readonly Block[];
  /** All blocks with this number or a greater one were found. */
  readonly below: number;
}

async function* pagesOfBlocks(db: Db, search: LogSearch, wanted: Wanted): AsyncGenerator<BlockPage> {
  const { after, now } = wanted;
  const latest = [after?.timestamp, search.until].filter((time) => time !== undefined).sort()[0];
  let below = latest === undefined ? Number.MAX_SAFE_INTEGER : numberBeyond(latest);
  const first = search.since === undefined ? 0 : numberAt(search.since);
  const spans = db.dialect.blockWords.isOrdered ? [] : SPANS;
  const begins = spans.map((seconds) => Math.max(numberAt(addSeconds(latest ?? now, -seconds)), first));
  let isFirst = true;
  for (const from of [...begins, first]) {
    while (below > from) {
      const most = isFirst ? BLOCKS[0] : BLOCKS[1];
      isFirst = false;
      const blocks = await findBlocks(db, wanted, { from, below, most, ...(latest ? { latest } : {}) });
      below = blocks.length < most ? from : blocks.at(-1)!.number;
      yield { blocks, below };
    }
  }
}

interface Span {
  readonly from: number;
  readonly below: number;
  /** Blocks of which all lines are later are left out. */
  readonly latest?: Timestamp;
  readonly most: number;
}

/** Newest first. With words, blocks of all runs. */
function findBlocks(db: Db, { words, runIds }: Wanted, { from, below, latest, most }: Span): Promise<Block[]> {
  const { dialect } = db;
  const own = sql`log_block where ${runIds ? dialect.oneOf(sql`log_block.flow_run_id`, runIds, 'uuid') : always}`;
  const { source, number } =
    words.length > 0 ? dialect.blockWords.having(words) : { source: own, number: sql`log_block.number` };
  const bounds: Condition[] = [
    sql`${number} >= ${sql.lit(from)}`,
    sql`${number} < ${sql.lit(below)}`,
    ...(latest === undefined ? [] : [sql<boolean>`log_block.oldest <= ${latest}`]),
  ];
  return db.query(
    sql<Block>`select log_block.number, log_block.flow_run_id, log_block.oldest, log_block.newest, log_block.lines,
        log_block.bytes
      from ${source} and log_block."workspace" = ${db.workspace} and ${and(bounds)}
      order by ${number} desc limit ${sql.lit(most)}`,
  );
}

function groupsOf(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = [];
  let size = { lines: 0, bytes: 0 };
  for (const block of blocks) {
    const isFull = size.lines + block.lines > MOST_OF_GROUP.lines || size.bytes + block.bytes > MOST_OF_GROUP.bytes;
    if (groups.length === 0 || isFull) {
      groups.push([]);
      size = { lines: 0, bytes: 0 };
    }
    groups.at(-1)!.push(block);
    size = { lines: size.lines + block.lines, bytes: size.bytes + block.bytes };
  }
  return groups;
}

/** The matching lines in the times of the blocks. */
async function linesOf(db: Db, search: LogSearch, blocks: readonly Block[], after: Wanted['after']): Promise<Part> {
  const ofRuns = blocks.filter(({ flow_run_id }) => flow_run_id !== null);
  const ofNone = blocks.filter(({ flow_run_id }) => flow_run_id === null);
  const parts = [
    await linesWithin(db, search, ofRuns, after, sql`log.flow_run_id = block.flow_run_id`),
    await linesWithin(db, search, ofNone, after, sql`log.flow_run_id is null`),
  ];
  const ends = parts.flatMap(({ end }) => end ?? []).sort((one, other) => (isBeyond(one, other) ? 1 : -1));
  return { lines: parts.flatMap(({ lines }) => lines), end: ends[0] };
}

async function linesWithin(
  db: Db,
  search: LogSearch,
  blocks: readonly Block[],
  after: Wanted['after'],
  isOfBlock: Condition,
): Promise<Part> {
  if (blocks.length === 0) return { lines: [], end: undefined };
  const spans = db.dialect.rowsFrom(JSON.stringify(joined(blocks)), {
    flow_run_id: 'uuid',
    oldest: 'timestamp',
    newest: 'timestamp',
  });
  const rows = sql`${spans} block ${db.dialect.joinInOrder} log on log."workspace" = ${db.workspace} and ${isOfBlock}
    and log.timestamp >= block.oldest and log.timestamp <= block.newest where ${beyond(after)}`;
  return readLines(db, search, { rows, most: MOST_OF_GROUP.lines });
}

/** The times of each run, without overlaps, so that each line is read once. */
function joined(blocks: readonly Block[]): Pick<Block, 'flow_run_id' | 'oldest' | 'newest'>[] {
  const spans: { flow_run_id: string | null; oldest: Timestamp; newest: Timestamp }[] = [];
  const placeOf = ({ flow_run_id, oldest }: Block) => `${flow_run_id} ${oldest}`;
  const byRun = blocks.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  for (const { flow_run_id, oldest, newest } of byRun) {
    const last = spans.at(-1);
    if (last?.flow_run_id !== flow_run_id || last.newest < oldest) spans.push({ flow_run_id, oldest, newest });
    else if (last.newest < newest) last.newest = newest;
  }
  return spans;
}
