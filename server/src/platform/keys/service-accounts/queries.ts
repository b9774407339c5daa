import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { answerOf } from '../../answer-of.ts';
import { ServiceAccount } from './schema.ts';

export type ServiceAccountRow = Row<'service_account'>;

/** Deleted accounts are not found; their key records stay. */
export const serviceAccounts = rows('service_account', { among: sql`state <> 'deleted'` });

export const serviceAccountOf = answerOf(ServiceAccount);
