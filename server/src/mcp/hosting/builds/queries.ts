import { sql } from 'kysely';
import { rows } from '../../../database/rows.ts';
import { platformStatement } from '../../../database/statement.ts';
import type { PlatformTx } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import type { Timestamp } from '../../../values/time.ts';

export type BuildRow = Row<'server_build'>;

export const serverBuilds = rows('server_build');

/** A waiting build; undefined when there is none. */
export const findQueued = platformStatement<object, Pick<BuildRow, 'id'>>((query) =>
  query.selectFrom('server_build').where('state', '=', 'queued').select('id').limit(1),
);

/**
 * Claims the oldest waiting build of the organization with the fewest running ones, so that no other replica runs it.
 * An organization with many builds does not delay the others.
 */
export const claimBuild = platformStatement<{ now: Timestamp; until: Timestamp }, BuildRow>((query, given, dialect) =>
  query
    .updateTable('server_build')
    .set({ state: 'building', started: given.now, claimed_until: given.until })
    .where(
      'id',
      // Uses `=` instead of `in`: PostgreSQL may evaluate a list again for each row, and each evaluation would claim
      // another build.
      '=',
      sql<string>`(
        select id from server_build waiting
        where state = 'queued'
        order by (
          select count(*) from server_build under_way
          join mcp_server neighbour on neighbour.id = under_way.server_id
          where under_way.state = 'building'
            and neighbour.organization_id = (select organization_id from mcp_server where id = waiting.server_id)
        ), id
        limit 1 ${dialect.forUpdateSkipLocked})`,
    )
    .returningAll(),
);

/** Extends the claim; returns no row when it was lost. */
export const renewClaim = platformStatement<{ id: string; until: Timestamp }, Pick<BuildRow, 'cancel_requested'>>(
  (query, given) =>
    query
      .updateTable('server_build')
      .set({ claimed_until: given.until })
      .where('id', '=', given.id)
      .where('state', '=', 'building')
      .returning('cancel_requested'),
);

type End = Pick<BuildRow, 'state' | 'finished' | 'error' | 'launch' | 'resolved'>;

/** Undefined when the build has already ended. Deletes the captured variables, which are no longer needed. */
export function endBuild(tx: PlatformTx, id: string, end: End): Promise<BuildRow | undefined> {
  const part = { ...end, claimed_until: null, encrypted_environment: null };
  return serverBuilds.change(tx, { id, state: 'building' }, part);
}

/** Fails the builds whose replica ended without giving them back. */
export const failLost = platformStatement<{ now: Timestamp; error: string }, unknown>((query, given) =>
  query
    .updateTable('server_build')
    .set({
      state: 'failed',
      finished: given.now,
      error: given.error,
      claimed_until: null,
      encrypted_environment: null,
    })
    .where('state', '=', 'building')
    .where('claimed_until', '<', given.now),
);

/** Ended builds of a server beyond the newest `kept` that are not live, newest first. */
export const listOldBuilds = platformStatement<{ server_id: string; kept: number }, Pick<BuildRow, 'id'>>(
  (query, given) =>
    query
      .selectFrom('server_build')
      .where('server_id', '=', given.server_id)
      .where('finished', 'is not', null)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('server_deployment')
              .whereRef('server_deployment.build_id', '=', 'server_build.id')
              .where('server_deployment.status', '=', 'live')
              .select('server_deployment.id'),
          ),
        ),
      )
      .select('id')
      .orderBy('id', 'desc')
      .limit(50)
      .offset(given.kept),
);

/** Returns the deleted uploads. */
export const deleteOldUploads = platformStatement<{ before: Timestamp }, { id: string }>((query, given) =>
  query.deleteFrom('server_upload').where('created', '<', given.before).returning('id'),
);
