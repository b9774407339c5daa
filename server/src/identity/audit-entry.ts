/** The audit as a table. `platform/audit` decides who reads which entries. */
import { platformStatement, rowOf } from '../database/statement.ts';
import type { Row } from '../database/tables.ts';

export const insertAuditEntry = platformStatement<Row<'audit_entry'>, unknown>((query, given) =>
  query.insertInto('audit_entry').values(rowOf('audit_entry', given)),
);
