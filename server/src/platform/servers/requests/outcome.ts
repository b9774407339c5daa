import { sql } from 'kysely';

/** The outcome of a record. */
export const outcome = sql<string>`case when decision <> 'allowed' then decision
  when status >= 400 or error_code is not null or failure is not null then 'failed' else 'ok' end`;
