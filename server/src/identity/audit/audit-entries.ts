/** The statements of the audit's table. `platform/audit` decides who reads which entries. */
import { rows } from '../../database/rows.ts';

export const auditEntries = rows('audit_entry');
