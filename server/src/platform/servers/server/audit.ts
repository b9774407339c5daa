import { auditIn } from '../../audit/record.ts';

export const audit = auditIn('server');
