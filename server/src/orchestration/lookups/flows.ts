import { statement } from '../../database/statement.ts';
import type { Db } from '../../database/store.ts';
import type { Row } from '../../database/tables.ts';

export type FlowRow = Row<'flow'>;

const flowById = statement<{ id: string }, FlowRow>((query, given) =>
  query
    .selectFrom('flow')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('id', '=', given.id)
    .where('removed', 'is', null),
);

/** Undefined for an unknown flow and for a flow that is being removed. */
export function findFlow(db: Db, id: string): Promise<FlowRow | undefined> {
  return db.first(flowById, { id });
}
