/** Suggested values of a field of requests, with the number of requests that have them. */
import { sql } from 'kysely';
import { countedValues } from '../../../database/lists/where.ts';
import type { FieldValue, FieldValues } from '../../../database/lists/where-schema.ts';
import { platformQuery } from '../../../database/statement.ts';
import type { PlatformDb } from '../../../database/store.ts';
import { LAST_ID } from '../../../values/id.ts';
import { type RequestFieldName, requestFields } from './fields.ts';
import { conditionOf } from './filter.ts';
import { endOfNewest, MOST_COUNTED } from './newest.ts';
import type { RequestFilter } from './schema.ts';

interface Asked {
  readonly server_ids: readonly string[];
  readonly filter: RequestFilter;
  readonly field: RequestFieldName;
  readonly text: string;
  readonly limit: number;
}

/** Counts the newest records. */
export async function readRequestValues(db: PlatformDb, asked: Asked): Promise<FieldValues> {
  const { server_ids, filter } = asked;
  const newestSince = await endOfNewest(db, { server_ids, filter, cursor: LAST_ID, most: MOST_COUNTED });
  const values = await db.all(countByValue, { ...asked, filter: { ...filter, newestSince } });
  return { values, counted_since: newestSince ?? null };
}

const countByValue = platformQuery<Asked, FieldValue>(
  (_query, { server_ids, filter, field, text, limit }, dialect) => {
    const { value, label = value } = requestFields[field];
    const source = sql`from mcp_request where ${conditionOf(dialect, { server_ids }, filter)}`;
    return countedValues({ value, label, source, text, limit }, dialect);
  },
  { readsMuch: true },
);
