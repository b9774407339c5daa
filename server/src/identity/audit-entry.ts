/** The audit as a table; who is told what of it is with the platform. */
import { platformStatement, rowOf } from '../database/statement.ts';
import type { Row } from '../database/tables.ts';

export const insertAuditEntry = platformStatement<Row<'audit_entry'>, unknown>((query, given) =>
  query.insertInto('audit_entry').values(rowOf('audit_entry', given)),
);
