import { platformStatement } from './statement.ts';
import type { Row } from './tables/tables.ts';

/** The number that rises with each change of access, by any process. */
export const findAccessVersion = platformStatement<Record<string, never>, Pick<Row<'access_version'>, 'version'>>(
  (query) => query.selectFrom('access_version').select('version'),
);
