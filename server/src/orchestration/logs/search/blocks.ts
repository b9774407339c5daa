/**
 * The index of the words of log lines: a row for each block, which is lines of one flow run that arrived together. Lines
 * that arrive together repeat their words, so an entry for each line would cost several times as much.
 */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { deleteFound, deletionOfSome } from '../../../database/delete-found.ts';
import { rows } from '../../../database/rows.ts';
import { statement } from '../../../database/statement.ts';
import type { Tx } from '../../../database/store.ts';
import type { NewRow } from '../../../database/tables/tables.ts';
import { addSeconds, microsecondsOf, type Timestamp, timestampFromMicroseconds } from '../../../values/time.ts';
import { indexed, indexedLevel, wordsIn } from './words.ts';

export const logBlocks = rows('log_block');

/** The lines of a block are within this time, so that a page knows which blocks may reach into it. */
const LONGEST_BLOCK_SECONDS = 60;
const MOST_LINES = 1000;
const MOST_BYTES = 1024 * 1024;
/** A block is full when it has this many words. One line may add as many. */
const FULL_WORDS = 4000;
/**
 * A block is full when its words have this many characters. With those that one line may add, all of them are less than
 * the megabyte that PostgreSQL holds of a row; it loses words beyond that without an error.
 */
const FULL_CHARACTERS = 150_000;
/** The words after this many characters of a line are not indexed. */
export const INDEXED_CHARACTERS = 100_000;
/** The levels of which a block says that it has lines of them or above. */
export const INDEXED_LEVELS = [50, 40, 30] as const;

/** A transaction blocks other writers on SQLite, and each word and each block costs time in it. */
const MOST_OF_BATCH = { lines: 1000, characters: 256 * 1024, runs: 100 } as const;

/** Numbers within a millisecond. The largest number of a safe time is an exact number in both databases. */
const NUMBERS = 2048;
const LAST_MILLISECOND = Math.floor(Number.MAX_SAFE_INTEGER / NUMBERS) - 1_000_000;

type IndexedLine = Pick<NewRow<'log'>, 'level' | 'message' | 'timestamp' | 'flow_run_id'>;

interface Block {
  readonly flow_run_id: string | null;
  readonly oldest: Timestamp;
  newest: Timestamp;
  lines: number;
  bytes: number;
}

interface OpenBlock extends Block {
  /** The latest time of a line that it takes. */
  readonly end: Timestamp;
  /** The highest one of a line. */
  level: number;
  readonly words: Set<string>;
  /** The sum over the words. */
  characters: number;
}

/** True if this server keeps the index. */
export function keepsWords({ config }: Pick<Context['server'], 'config'>): boolean {
  return config.logSearchIndex;
}

/** The end of the lines from `from` on, at least one, that one transaction stores and indexes in some 50 ms. */
export function endOfBatch(
  lines: readonly { readonly message: string; readonly flow_run_id?: string | null | undefined }[],
  from: number,
): number {
  const runs = new Set<string | null | undefined>();
  let characters = 0;
  let end = from;
  for (const { message, flow_run_id } of lines.slice(from, from + MOST_OF_BATCH.lines)) {
    characters += message.length;
    runs.add(flow_run_id);
    if (end > from && (characters > MOST_OF_BATCH.characters || runs.size > MOST_OF_BATCH.runs)) break;
    end++;
  }
  return end;
}

/** Adds the lines to the index, in the transaction that stores them. */
export async function indexLines(tx: Tx, lines: readonly IndexedLine[]): Promise<void> {
  await Promise.all(blocksOf(lines).map((block) => insertBlock(tx, block)));
}

function blocksOf(lines: readonly IndexedLine[]): readonly OpenBlock[] {
  const blocks: OpenBlock[] = [];
  const open = new Map<string | null, OpenBlock>();
  for (const line of inOrder(lines)) {
    const { flow_run_id, timestamp, message } = line;
    let block = open.get(flow_run_id);
    if (!block || isFull(block, timestamp)) {
      const end = addSeconds(timestamp, LONGEST_BLOCK_SECONDS);
      block = {
        flow_run_id,
        oldest: timestamp,
        newest: timestamp,
        end,
        lines: 0,
        bytes: 0,
        level: 0,
        words: new Set(),
        characters: 0,
      };
      open.set(flow_run_id, block);
      blocks.push(block);
    }
    block.newest = timestamp;
    block.lines += 1;
    block.bytes += message.length;
    block.level = Math.max(block.level, line.level);
    addWords(block, line);
  }
  return blocks;
}

function inOrder(lines: readonly IndexedLine[]): readonly IndexedLine[] {
  const isInOrder = lines.every(({ timestamp }, index) => index === 0 || lines[index - 1]!.timestamp <= timestamp);
  return isInOrder ? lines : lines.toSorted((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
}

function isFull({ end, lines, bytes, words, characters }: OpenBlock, timestamp: Timestamp): boolean {
  const isFullOfWords = words.size >= FULL_WORDS || characters >= FULL_CHARACTERS;
  return timestamp > end || lines >= MOST_LINES || bytes >= MOST_BYTES || isFullOfWords;
}

function addWords(block: OpenBlock, { message }: IndexedLine): void {
  const { words } = block;
  const most = words.size + FULL_WORDS;
  for (const word of wordsIn(message.length > INDEXED_CHARACTERS ? message.slice(0, INDEXED_CHARACTERS) : message)) {
    if (words.size >= most) return;
    if (words.has(word)) continue;
    words.add(word);
    block.characters += word.length;
  }
}

/** As the index holds them, with a space between them. */
function wordsOf(workspace: number, { words, level }: OpenBlock): string {
  let text = '';
  for (const least of INDEXED_LEVELS) if (level >= least) text += `${indexedLevel(workspace, least)} `;
  for (const word of words) text += `${indexed(workspace, word)} `;
  return text.trimEnd();
}

interface BlockRow extends Block {
  readonly number: number;
  /** With a space between them. */
  readonly words: string;
}

const insertRow = statement<BlockRow, unknown>(
  (_query, given, { blockWords }) =>
    sql`insert into log_block ("workspace", number, flow_run_id, oldest, newest, lines, bytes ${blockWords.columns})
      values (${given.workspace}, ${given.number}, ${given.flow_run_id}, ${given.oldest}, ${given.newest}, ${given.lines},
        ${given.bytes} ${blockWords.values(given.words)}) on conflict do nothing`,
);

const insertWords = statement<Pick<BlockRow, 'number' | 'words'>, unknown>(
  (_query, given, { blockWords }) => blockWords.insert?.(given) ?? sql`select ${given.workspace} as "workspace"`,
);

/** Blocks of one process differ in it. */
let sequence = 0;

async function insertBlock(tx: Tx, open: OpenBlock): Promise<void> {
  const { words: _words, characters: _characters, end: _end, level: _level, ...block } = open;
  sequence = (sequence + 1) % NUMBERS;
  let number = numberAt(block.newest) + sequence;
  const words = wordsOf(tx.workspace, open);
  // Many lines of one moment take numbers of the moments after it.
  for (let range = NUMBERS; (await tx.run(insertRow, { ...block, number, words })) === 0; range *= 2) {
    number += Math.ceil(Math.random() * range);
  }
  if (tx.dialect.blockWords.insert) await tx.run(insertWords, { number, words });
}

/** A block whose newest line has this time has this number or, if that is taken, a greater one. */
export function numberAt(time: Timestamp): number {
  const milliseconds = Math.floor(microsecondsOf(time) / 1000) + 1;
  return Math.min(Math.max(milliseconds, 0), LAST_MILLISECOND) * NUMBERS;
}

/** Blocks that reach back to this time, or before it, have smaller numbers. */
export function numberBeyond(time: Timestamp): number {
  return numberAt(time) + 2 * LONGEST_BLOCK_SECONDS * 1000 * NUMBERS;
}

/** No line of a block with this number is later. */
export function timeOfNumber(number: number): Timestamp {
  const milliseconds = Math.floor(number / NUMBERS);
  return milliseconds >= LAST_MILLISECOND
    ? ('9999-12-31T23:59:59.999999Z' as Timestamp)
    : timestampFromMicroseconds(milliseconds * 1000);
}

const deleteBefore = deletionOfSome<{ end: number; limit: number }>(
  'log_block',
  'number',
  ({ end, limit }) => sql`and number < ${end} order by number limit ${limit}`,
);

/** Returns the number of deleted blocks, whose lines are all older. */
export function deleteBlocksBefore(tx: Tx, before: Timestamp, limit: number): Promise<number> {
  return tx.run(deleteBefore, { end: numberAt(before), limit });
}

/** Returns the number of deleted blocks. `before` excludes those with a line of that time or later. */
export function deleteBlocksOfRuns(
  tx: Tx,
  flowRunIds: readonly string[],
  limit: number,
  before?: Timestamp,
): Promise<number> {
  const isOfRun = tx.dialect.oneOf(sql`flow_run_id`, flowRunIds, 'uuid');
  const isOld = before === undefined ? sql`` : sql`and newest < ${before}`;
  const ofWorkspace = sql<boolean>`"workspace" = ${tx.workspace}`;
  const found = sql`select number from log_block where ${ofWorkspace} and ${isOfRun} ${isOld} limit ${limit}`;
  return tx.execute(deleteFound(sql`log_block`, ofWorkspace, sql`number`, found, tx.dialect));
}
