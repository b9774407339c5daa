import { sql } from 'kysely';
import { rows } from '../../database/rows.ts';
import type { Row } from '../../database/tables/tables.ts';

export type FlowRow = Row<'flow'>;

/** Does not find a flow that is being removed. */
export const flows = rows('flow', { among: sql`removed is null` });
