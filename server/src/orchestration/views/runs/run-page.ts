/** The parts that the lists of runs and their orders share. */
import { sql } from 'kysely';
import type { Condition, Expression } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { ValidationFailed } from '../../../errors.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { StartOrder } from '../../runs/history/start-order.ts';
import type { RunPosition } from './run-position.ts';

export interface RunPageRequest {
  readonly limit: number;
  readonly after: RunPosition | null | undefined;
}

/** A list of flow runs or of task runs, and the columns of its rows. */
export interface RunList<Row extends { readonly id: string }> {
  readonly runs: StartOrder;
  readonly columns: Expression;
  readonly joins: Expression;
  /** The time by which `runs` sorts the row. */
  readonly startOf: (row: Row) => Timestamp | null;
}

export interface RunsFound<Row> {
  readonly rows: Row[];
  /** Null on the last page. */
  readonly next: RunPosition | null;
}

interface Part {
  /** Tables with that of the list among them, and the joins between them; the table of the list alone when absent. */
  readonly from?: Expression;
  readonly condition: Condition;
  readonly sorted: Expression;
  readonly limit: number;
}

/** The rows are cut on ids first and joined afterwards. */
export function listRunRows<Row extends { readonly id: string }>(
  db: Db,
  { runs, columns, joins }: RunList<Row>,
  part: Part,
): Promise<Row[]> {
  const table = sql.table(runs.table);
  const { from = table, condition, sorted, limit } = part;
  return db.query(
    sql<Row>`select ${columns} from (
        select ${table}.id from ${from} where ${table}."workspace" = ${db.workspace} and ${condition}
        order by ${sorted} limit ${limit}
      ) page
      ${db.dialect.joinInOrder} ${table} on ${table}."workspace" = ${db.workspace} and ${table}.id = page.id
      ${joins} order by ${sorted}`,
  );
}

/** Throws ValidationFailed: the position lacks a value that this order needs. */
export function wrongPosition(field: keyof RunPosition): never {
  const msg = 'Field required by this sort: a position is the `next` of a page in the same order';
  throw new ValidationFailed([{ type: 'missing', loc: ['body', 'after', field], msg }]);
}
