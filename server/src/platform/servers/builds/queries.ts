import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { answerOf } from '../../answer-of.ts';
import { Build, Upload } from './schema.ts';

export type UploadRow = Row<'server_upload'>;

export const serverUploads = rows('server_upload');

export const buildOf = answerOf(Build, { deploy: 'promote', createdBy: 'actor_name' });
export const uploadOf = answerOf(Upload);

/** Prevents others from queueing a build of the organization until the transaction ends. */
export const lockOrganization = platformStatement<{ id: string }, { id: string }>(
  (_query, given, dialect) => sql`select id from organization where id = ${given.id} ${dialect.forUpdate}`,
);

export const countQueued = platformStatement<{ organization_id: string }, { count: number }>((query, given) =>
  query
    .selectFrom('server_build')
    .innerJoin('mcp_server', 'mcp_server.id', 'server_build.server_id')
    .where('mcp_server.organization_id', '=', given.organization_id)
    .where('server_build.state', '=', 'queued')
    .select(sql<number>`count(*)`.as('count')),
);
