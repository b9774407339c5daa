/** Searches log lines over all runs of a workspace, newest first, and reads a bounded part of them for each request. */
import { sql } from 'kysely';
import { always, and, type Condition, type IndexedWord } from '../../../database/dialect/dialect.ts';
import type { Where } from '../../../database/lists/where.ts';
import type { Db } from '../../../database/store.ts';
import { ValidationFailed } from '../../../errors.ts';
import { isUuid, normalUuid } from '../../../values/id.ts';
import { secondsBetween, type Timestamp } from '../../../values/time.ts';
import { INDEXED_LEVELS } from './blocks.ts';
import { leastLevel, runFields } from './fields.ts';
import { type FoundLine, type LogPosition, type LogSearch, type Part, walkLines } from './lines.ts';
import { readBlocks } from './read-blocks.ts';
import { wordsOfText } from './text.ts';
import { indexedLevel } from './words.ts';

/** If the conditions select at most so many runs, their lines are found by run. */
const MOST_RUNS = 500;
const DAY_SECONDS = 86_400;

interface Page {
  readonly now: Timestamp;
  /** True if the words are indexed. */
  readonly isIndexed: boolean;
  readonly limit: number;
  readonly after: LogPosition | null | undefined;
}

interface LogPage {
  readonly lines: readonly FoundLine[];
  readonly next: LogPosition | null;
}

/** A page may be short, or empty, and still have a next one, because a request reads a bounded number of lines. */
export async function searchLogs(db: Db, search: LogSearch, page: Page): Promise<LogPage> {
  const { lines, end } = await readPart(db, search, page);
  const shown = lines.slice(0, page.limit);
  const last = lines.length > page.limit ? shown.at(-1) : end;
  return { lines: shown, next: last ? { timestamp: last.timestamp, id: last.id } : null };
}

/** Throws ValidationFailed for a text that would be searched in every line. */
async function readPart(db: Db, search: LogSearch, page: Page): Promise<Part> {
  const { isIndexed } = page;
  const words = isIndexed ? indexedWords(db.workspace, search) : [];
  const hasText = search.text.terms.length + search.text.excluded.length > 0;
  if (hasText && words.length === 0 && !isNarrow(search)) throw tooWide(isIndexed);
  const walk = (served: Condition, conditions: number) =>
    walkLines(db, search, { ...page, served, isAll: !hasText && search.where.length === conditions });
  const taskId = onlyId(search.where, 'task');
  if (taskId !== undefined) return walk(sql`log.task_run_id = ${taskId}`, 1);
  const runIds = await runsOf(db, search.where);
  if (runIds?.length === 0) return { lines: [], end: undefined };
  if (runIds?.length === 1) return walk(sql`log.flow_run_id = ${runIds[0]}`, 1);
  if (isIndexed && (words.length > 0 || runIds)) return readBlocks(db, search, { ...page, words, runIds });
  return walk(always, 0);
}

function indexedWords(workspace: number, { where, text }: LogSearch): readonly IndexedWord[] {
  const levels = where.filter(({ field, not }) => field === 'level' && !not).map(({ values }) => leastLevel(values));
  const least = INDEXED_LEVELS.find((level) => levels.some((one) => one >= level));
  const level = least === undefined ? [] : [{ text: indexedLevel(workspace, least), isBeginning: false }];
  return [...wordsOfText(workspace, text), ...level];
}

/** True for a run, a task run, a flow, a deployment, or a day. */
function isNarrow({ where, since, until }: LogSearch): boolean {
  const isOfRuns = where.some(({ field, not }) => !not && (field === 'task' || Object.hasOwn(runFields, field)));
  return isOfRuns || (since !== undefined && until !== undefined && secondsBetween(since, until) <= DAY_SECONDS);
}

function tooWide(isIndexed: boolean): ValidationFailed {
  const why = isIndexed
    ? 'Only words and their beginnings are searched over all runs; parts of words and signs are searched within a run, a flow or a day.'
    : 'This server has no index of words (SIGNALBOX_LOG_SEARCH_INDEX), so a text is searched within a run, a flow or a day.';
  return new ValidationFailed([{ type: 'value_error', loc: ['body', 'q'], msg: why }]);
}

function onlyId(where: Where, name: string): string | undefined {
  const [id, ...others] = where.find(({ field, not }) => field === name && !not)?.values ?? [];
  return id !== undefined && others.length === 0 && isUuid(id) ? normalUuid(id) : undefined;
}

/** The runs that the conditions select; undefined if they select none in particular, or too many. */
async function runsOf(db: Db, where: Where): Promise<readonly string[] | undefined> {
  const id = onlyId(where, 'run');
  if (id !== undefined) return [id];
  const conditions = where.flatMap(({ field, not, values }) => {
    const isOneOf = Object.hasOwn(runFields, field) ? runFields[field as keyof typeof runFields] : undefined;
    return isOneOf && !not ? [isOneOf(values, db.dialect)] : [];
  });
  if (conditions.length === 0) return undefined;
  const found = await db.query(
    sql<{ id: string }>`select flow_run.id from flow_run where flow_run."workspace" = ${db.workspace}
      and ${and(conditions)} limit ${sql.lit(MOST_RUNS + 1)}`,
  );
  return found.length > MOST_RUNS ? undefined : found.map((run) => run.id);
}
