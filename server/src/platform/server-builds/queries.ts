import { sql } from 'kysely';
import { platformStatement, rowOf } from '../../database/statement.ts';
import type { Row } from '../../database/tables.ts';
import type { Build, Upload } from './schema.ts';

export type BuildRow = Row<'server_build'>;
export type UploadRow = Row<'server_upload'>;

type Place = { readonly server_id: string; readonly id: string };
type Page = { readonly server_id: string; readonly cursor: string; readonly limit: number };

export const insertBuild = platformStatement<BuildRow, unknown>((query, given) =>
  query.insertInto('server_build').values(rowOf('server_build', given)),
);

/** So that no one else queues a build of the organization until the transaction ends. */
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

export const findBuild = platformStatement<Place, BuildRow>((query, given) =>
  query.selectFrom('server_build').selectAll().where('server_id', '=', given.server_id).where('id', '=', given.id),
);

export const listBuilds = platformStatement<Page, BuildRow>((query, given) =>
  query
    .selectFrom('server_build')
    .selectAll()
    .where('server_id', '=', given.server_id)
    .where('id', '<', given.cursor)
    .orderBy('id', 'desc')
    .limit(given.limit),
);

/** One that waits is canceled at once. */
export const cancelQueued = platformStatement<Place & { now: string }, unknown>((query, given) =>
  query
    .updateTable('server_build')
    .set({ state: 'canceled', cancel_requested: true, finished: given.now as never, encrypted_environment: null })
    .where('server_id', '=', given.server_id)
    .where('id', '=', given.id)
    .where('state', '=', 'queued'),
);

/** One that runs is canceled by the replica that runs it. */
export const cancelBuilding = platformStatement<Place, unknown>((query, given) =>
  query
    .updateTable('server_build')
    .set({ cancel_requested: true })
    .where('server_id', '=', given.server_id)
    .where('id', '=', given.id)
    .where('state', '=', 'building'),
);

export const insertUpload = platformStatement<UploadRow, unknown>((query, given) =>
  query.insertInto('server_upload').values(rowOf('server_upload', given)),
);

export const findUpload = platformStatement<Place, UploadRow>((query, given) =>
  query.selectFrom('server_upload').selectAll().where('server_id', '=', given.server_id).where('id', '=', given.id),
);

export const markStored = platformStatement<Place, unknown>((query, given) =>
  query
    .updateTable('server_upload')
    .set({ stored: true })
    .where('server_id', '=', given.server_id)
    .where('id', '=', given.id),
);

export function buildOf(row: BuildRow): Build {
  return {
    id: row.id,
    serverId: row.server_id,
    state: row.state as Build['state'],
    source: row.source,
    entrypoint: row.entrypoint,
    dependencyPath: row.dependency_path,
    deploy: row.promote,
    createdAt: row.created,
    createdBy: row.actor_name,
    startedAt: row.started,
    finishedAt: row.finished,
    error: row.error,
    resolved: row.resolved,
  };
}

export function uploadOf(row: UploadRow): Upload {
  return {
    id: row.id,
    createdAt: row.created,
    sizeBytes: row.size_bytes,
    checksumSha256: row.checksum_sha256,
    stored: row.stored,
  };
}
