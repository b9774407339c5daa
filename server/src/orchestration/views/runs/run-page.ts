/** The parts that the orders of the list of runs share. */
import { sql } from 'kysely';
import type { Condition, Expression } from '../../../database/dialect/dialect.ts';
import type { Db } from '../../../database/store.ts';
import { ValidationFailed } from '../../../errors.ts';
import { runRowColumns, runRowJoins, type StoredRunRow } from './run-row.ts';
import type { RunPosition } from './runs-schema.ts';

export interface RunPageRequest {
  readonly limit: number;
  readonly after: RunPosition | null | undefined;
}

export interface RunsFound {
  readonly rows: StoredRunRow[];
  /** Null on the last page. */
  readonly next: RunPosition | null;
}

interface Part {
  /** Tables with `flow_run` among them, and the joins between them; `flow_run` alone when absent. */
  readonly from?: Expression;
  readonly condition: Condition;
  readonly sorted: Expression;
  readonly limit: number;
}

/** The rows are cut on ids first and joined afterwards. */
export function listRunRows(db: Db, part: Part): Promise<StoredRunRow[]> {
  const { from = sql`flow_run`, condition, sorted, limit } = part;
  return db.query(
    sql<StoredRunRow>`select ${runRowColumns} from (
        select flow_run.id from ${from} where flow_run."workspace" = ${db.workspace} and ${condition}
        order by ${sorted} limit ${limit}
      ) page
      ${db.dialect.joinInOrder} flow_run on flow_run."workspace" = ${db.workspace} and flow_run.id = page.id
      ${runRowJoins} order by ${sorted}`,
  );
}

/** Throws ValidationFailed: the position lacks a value that this order needs. */
export function wrongPosition(field: keyof RunPosition): never {
  const msg = 'Field required by this sort: a position is the `next` of a page in the same order';
  throw new ValidationFailed([{ type: 'missing', loc: ['body', 'after', field], msg }]);
}
