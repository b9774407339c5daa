/** Finds the uses of a block document that the server can know: programs load blocks by name. */
import { sql } from 'kysely';
import type { Context } from '../../context/context.ts';
import type { Expression } from '../../database/dialect/dialect.ts';
import { statement } from '../../database/statement.ts';
import { readResultStorage } from '../blocks/result-storage.ts';
import { MOST_USES } from './block-uses-schema.ts';

interface Use {
  readonly type: 'block_document' | 'automation' | 'deployment' | 'work_pool';
  readonly id: string;
  readonly name: string;
}

/** JSON columns that may refer to a document contain its id. */
const uses = statement<{ id: string; mention: string }, Use>((_query, given, dialect) => {
  const most = sql.lit(MOST_USES);
  const text = (column: string) => sql`cast(${sql.ref(column)} as text)`;
  const mentions = (...columns: string[]) =>
    sql.join(
      columns.map((column) => sql`${text(column)} like ${given.mention}`),
      sql` or `,
    );
  const select = (table: string, condition: Expression) =>
    sql`select * from (select ${sql.lit(table)} as type, id, name from ${sql.table(table)}
      where "workspace" = ${given.workspace} and (${condition}) order by name limit ${most}) found`;
  const parents = sql`id in (select parent_block_document_id from block_document_reference
    where "workspace" = ${given.workspace} and reference_block_document_id = ${dialect.typed(given.id, 'uuid')})`;
  return sql<Use>`${sql.join(
    [
      select('block_document', parents),
      select('automation', mentions('actions', 'actions_on_trigger', 'actions_on_resolve')),
      select(
        'deployment',
        sql`storage_document_id = ${dialect.typed(given.id, 'uuid')}
          or infrastructure_document_id = ${dialect.typed(given.id, 'uuid')}
          or ${mentions('job_variables', 'parameters', 'pull_steps')}`,
      ),
      select('work_pool', mentions('base_job_template', 'storage_configuration')),
    ],
    sql` union all `,
  )}`;
});

export async function readBlockUses({ db }: Context, id: string) {
  const [found, storage] = await Promise.all([db.all(uses, { id, mention: `%${id}%` }), readResultStorage(db)]);
  return { uses: found, is_result_storage: storage.default_result_storage_block_id === id };
}
