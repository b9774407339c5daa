import type pg from 'pg';

/** The answer to a query, with the values as `decoders` gives them. */
export type Result = pg.QueryResult<Record<string, unknown>>;
