/** The rows with which the processes on one database find each other. */
import { platformStatement, rowOf } from './statement.ts';
import type { Row } from './tables/tables.ts';

type PeerRow = Row<'peer'>;

/** Writes the row of this process. */
export const putPeer = platformStatement<PeerRow, unknown>((query, given) =>
  query
    .insertInto('peer')
    .values(rowOf('peer', given))
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        address: given.address,
        build: given.build,
        host: given.host,
        claims: given.claims,
        seen: given.seen,
      }),
    ),
);

export const listPeers = platformStatement<Record<string, never>, PeerRow>((query) =>
  query.selectFrom('peer').selectAll(),
);

export const deletePeersBefore = platformStatement<Pick<PeerRow, 'seen'>, unknown>((query, given) =>
  query.deleteFrom('peer').where('seen', '<', given.seen),
);

export const deletePeer = platformStatement<Pick<PeerRow, 'id'>, unknown>((query, given) =>
  query.deleteFrom('peer').where('id', '=', given.id),
);
