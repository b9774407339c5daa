/** Suggested values of a field of requests, with the number of requests that have them. */
import { sql } from 'kysely';
import { and, type Condition } from '../../../database/dialect/dialect.ts';
import { countedValues } from '../../../database/lists/where.ts';
import type { FieldValue, FieldValues } from '../../../database/lists/where-schema.ts';
import { platformQuery } from '../../../database/statement.ts';
import type { PlatformDb } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';
import { type RequestFieldName, requestFields } from './fields.ts';
import { conditionOf } from './filter.ts';
import type { RequestFilter } from './schema.ts';

/** Counting the values of this many records takes 0.1 s. */
const MOST_READ = 100_000;

interface Asked {
  readonly server_ids: readonly string[];
  readonly filter: RequestFilter & { readonly since: Timestamp; readonly until: Timestamp };
  readonly field: RequestFieldName;
  readonly text: string;
  readonly limit: number;
}

/** Counts the newest records. */
export async function readRequestValues(db: PlatformDb, asked: Asked): Promise<FieldValues> {
  const { server_ids, filter } = asked;
  if (server_ids.length === 0) return { values: [], counted_since: null };
  const most = Math.ceil(MOST_READ / server_ids.length);
  const end = await db.first(findEnd, { server_ids, filter, most });
  const values = await db.all(countByValue, { ...asked, end });
  return { values, counted_since: end?.occurred ?? null };
}

type End = Pick<Row<'mcp_request'>, 'id' | 'occurred'>;

/** The newest record that is older than the `most` newest records of its server. */
const findEnd = platformQuery<Pick<Asked, 'server_ids' | 'filter'> & { most: number }, End>(
  (_query, { server_ids, filter: { since, until }, most }, dialect) => {
    const ends = server_ids.map(
      (server_id) => sql`select * from (select id, occurred from mcp_request
        where ${conditionOf(dialect, { server_id }, { since, until })} order by id desc limit 1 offset ${most}) as one`,
    );
    return sql`select id, occurred from (${sql.join(ends, sql` union all `)}) as ends order by id desc limit 1`;
  },
  { readsMuch: true },
);

const countByValue = platformQuery<Asked & { end: End | undefined }, FieldValue>(
  (_query, { server_ids, filter, field, text, limit, end }, dialect) => {
    const { value, label = value } = requestFields[field];
    const newest: readonly Condition[] = end ? [sql`id > ${end.id}`] : [];
    const condition = and([conditionOf(dialect, { server_ids }, filter), ...newest]);
    const source = sql`from mcp_request where ${condition}`;
    return countedValues({ value, label, source, text, limit }, dialect);
  },
  { readsMuch: true },
);
