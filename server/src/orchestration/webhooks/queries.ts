import { sql } from 'kysely';
import { rows } from '../../database/rows.ts';
import { rowOf, statement } from '../../database/statement.ts';
import type { Db, Tx } from '../../database/store.ts';
import type { NewRow, Row } from '../../database/tables/tables.ts';
import type { Timestamp } from '../../values/time.ts';
import type { ListPart } from '../filters/pagination.ts';
import type { WebhookSort } from './schema.ts';

export type WebhookRow = Row<'webhook'>;
type WebhookRequestRow = Row<'webhook_request'>;

/** Requests of each outcome that are kept for each webhook. */
const KEPT_REQUESTS = 20;

export const webhooks = rows('webhook');

const insertRequestRow = statement<NewRow<'webhook_request'>, unknown>((query, given) =>
  query.insertInto('webhook_request').values(rowOf('webhook_request', given)),
);

const deleteOldRequests = statement<{ webhook_id: string; refused: boolean }, unknown>(
  (_query, given) => sql`delete from webhook_request where "workspace" = ${given.workspace}
    and webhook_id = ${given.webhook_id} and refused = ${given.refused} and id < (
      select id from webhook_request where "workspace" = ${given.workspace} and webhook_id = ${given.webhook_id}
        and refused = ${given.refused} order by id desc limit 1 offset ${sql.lit(KEPT_REQUESTS - 1)})`,
);

/** Newest first. */
export const listRequests = statement<{ webhook_id: string }, WebhookRequestRow>((query, given) =>
  query
    .selectFrom('webhook_request')
    .selectAll()
    .where('workspace', '=', given.workspace)
    .where('webhook_id', '=', given.webhook_id)
    .orderBy('id', 'desc')
    .limit(sql.lit(2 * KEPT_REQUESTS)),
);

const orders = {
  CREATED_DESC: sql`webhook.created desc, webhook.id desc`,
  NAME_ASC: sql`webhook.name asc, webhook.id asc`,
  NAME_DESC: sql`webhook.name desc, webhook.id desc`,
} as const;

/** Includes the times of the last request that became an event, and of the last that was refused. */
export function listWebhooks(db: Db, { sort, limit, offset }: ListPart<WebhookSort>) {
  const last = (refused: boolean) => sql`(select received from webhook_request request
    where request."workspace" = webhook."workspace" and request.webhook_id = webhook.id
      and request.refused = ${refused} order by request.id desc limit 1)`;
  return db.query(
    sql<WebhookRow & LastRequests>`select webhook.*, ${last(false)} as last_event, ${last(true)} as last_failure
      from webhook where webhook."workspace" = ${db.workspace}
      order by ${orders[sort]} limit ${limit} offset ${offset}`,
  );
}

export interface LastRequests {
  readonly last_event: Timestamp | null;
  readonly last_failure: Timestamp | null;
}

/** Records a request, and deletes the oldest of the same outcome. */
export async function insertRequest(tx: Tx, request: NewRow<'webhook_request'>): Promise<void> {
  await tx.run(insertRequestRow, request);
  await tx.run(deleteOldRequests, { webhook_id: request.webhook_id, refused: request.refused });
}
