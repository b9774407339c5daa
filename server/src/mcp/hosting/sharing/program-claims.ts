/**
 * Agrees with the other servers which host runs the programs of a server: one at a time. A claim is a row with an end,
 * which the host's servers move on while its programs run. A host whose claims were not moved on ends its programs before
 * another host may have them.
 */
import { sql } from 'kysely';
import { platformStatement } from '../../../database/statement.ts';
import type { Store } from '../../../database/store.ts';
import type { Row } from '../../../database/tables/tables.ts';
import { IntegrityConflict } from '../../../errors.ts';
import { addSeconds, type Clock } from '../../../values/time.ts';
import { UpstreamError } from '../../upstream/upstream.ts';
import { machineTime } from '../boundary/host.ts';

type ClaimRow = Row<'program_claim'>;

/** Length of a claim by the clock that all servers share. */
export const LEASE_SECONDS = 25;
/** The programs end this long before: time to end them, and for clocks that differ. */
const MARGIN_SECONDS = 8;
export const RENEW_MILLISECONDS = 3000;

/** No row if another host has a claim that lasts. */
const takeClaim = platformStatement<ClaimRow & { now: ClaimRow['until'] }, Pick<ClaimRow, 'host'>>((query, given) =>
  query
    .insertInto('program_claim')
    .values({ server_id: given.server_id, host: given.host, until: given.until })
    .onConflict((conflict) =>
      conflict
        .column('server_id')
        .doUpdateSet({ host: given.host, until: given.until })
        .where((row) =>
          row.or([row('program_claim.host', '=', given.host), row('program_claim.until', '<', given.now)]),
        ),
    )
    .returning('host'),
);

const findClaim = platformStatement<Pick<ClaimRow, 'server_id'> & { now: ClaimRow['until'] }, Pick<ClaimRow, 'host'>>(
  (query, given) =>
    query
      .selectFrom('program_claim')
      .select('host')
      .where('server_id', '=', given.server_id)
      .where('until', '>=', given.now),
);

/** The ids are a list in JSON. */
const renewClaims = platformStatement<Pick<ClaimRow, 'host' | 'until'> & { ids: string }, Pick<ClaimRow, 'server_id'>>(
  (query, given, dialect) =>
    query
      .updateTable('program_claim')
      .set({ until: given.until })
      .where('host', '=', given.host)
      .where(sql<boolean>`cast(server_id as text) in (select wanted.value from ${dialect.textsFrom(given.ids)} wanted)`)
      .returning('server_id'),
);

const endClaims = platformStatement<Pick<ClaimRow, 'host'>, unknown>((query, given) =>
  query.deleteFrom('program_claim').where('host', '=', given.host),
);

/** `until`: the time at which the programs must have ended unless they are claimed again; see `machineTime`. */
type Claim = { readonly until: number } | { readonly host: string };

export class ProgramClaims {
  /** The name of the host of this server. */
  readonly host: string;
  readonly #store: Store;
  readonly #clock: Clock;

  constructor(host: string, { store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.host = host;
    this.#store = store;
    this.#clock = clock;
  }

  /** Takes the programs of a server, or names the host that has them. Throws UpstreamError for a deleted server. */
  async take(serverId: string): Promise<Claim> {
    const { until, row } = this.#next();
    const now = this.#clock.now();
    const given = { server_id: serverId, ...row, now };
    const platform = this.#store.platform;
    const taken = platform
      .transaction((tx) => tx.first(takeClaim, given), 'process')
      .catch((error: unknown) => {
        if (error instanceof IntegrityConflict) throw new UpstreamError('absent', 'The server was deleted.');
        throw error;
      });
    if (await taken) return { until };
    // It may have ended in between; the next request takes it.
    return { host: (await this.find(serverId)) ?? '' };
  }

  /** The host that has the programs of a server. */
  async find(serverId: string): Promise<string | undefined> {
    const given = { server_id: serverId, now: this.#clock.now() };
    return (await this.#store.platform.reads().first(findClaim, given))?.host;
  }

  /** Moves the ends of claims of this host on. Returns the new end and those that it has lost. */
  async renew(serverIds: readonly string[]): Promise<{ readonly until: number; readonly lost: readonly string[] }> {
    const { until, row } = this.#next();
    const given = { ...row, ids: JSON.stringify(serverIds) };
    const kept = await this.#store.platform.transaction((tx) => tx.all(renewClaims, given), 'process');
    const ids = new Set(kept.map(({ server_id }) => server_id));
    return { until, lost: serverIds.filter((id) => !ids.has(id)) };
  }

  /** All programs of the host have ended. */
  async release(): Promise<void> {
    await this.#store.platform.transaction((tx) => tx.run(endClaims, { host: this.host }), 'process');
  }

  /** Both ends of a claim that is taken now: in the database, and for the programs. */
  #next(): { readonly until: number; readonly row: Pick<ClaimRow, 'host' | 'until'> } {
    const until = machineTime() + (LEASE_SECONDS - MARGIN_SECONDS) * 1000;
    return { until, row: { host: this.host, until: addSeconds(this.#clock.now(), LEASE_SECONDS) } };
  }
}
