/** The audit as a table. `platform/audit` decides who reads which entries. */
import { rows } from '../../database/rows.ts';

export const auditEntries = rows('audit_entry');
