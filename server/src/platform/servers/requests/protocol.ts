import { sql } from 'kysely';
import { PROTOCOL_METHODS } from '../../../mcp/protocol/methods.ts';

const NOTIFICATION = 'notifications/';

/** True for a request of the protocol, and false for a call. A request that was refused before it was read is a call. */
export const isProtocol = sql<boolean>`(coalesce(method, '') in (${sql.join(PROTOCOL_METHODS.map((method) => sql.lit(method)))})
  or substr(method, 1, ${sql.lit(NOTIFICATION.length)}) = ${sql.lit(NOTIFICATION)})`;
