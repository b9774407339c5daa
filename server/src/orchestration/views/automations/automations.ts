/** Automations with the times and numbers of their firings, and the names of the objects to which they refer. */
import { sql } from 'kysely';
import type { Context } from '../../../context/context.ts';
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import { parseObject } from '../../../values/json.ts';
import { addSeconds, type Timestamp } from '../../../values/time.ts';
import { type AutomationRow, automations as stored } from '../../automations/queries.ts';
import { MOST_AUTOMATIONS } from './automations-schema.ts';

const TALLY_SECONDS = 7 * 86_400;
const MOST_COUNTED = 10_000;

interface Tally {
  readonly id: string;
  readonly last_triggered: Timestamp | null;
  readonly triggered_count: number;
  readonly failed_count: number;
  readonly last_failure: string | null;
}

/** The events of an automation are found by its resource id and their time, so each count reads only those. */
const tallies = statement<{ asked: string; since: Timestamp }, Tally>((_query, given, dialect) => {
  const events = (name: string) =>
    sql`event where event."workspace" = ${given.workspace} and event.resource_id = asked.resource and event.event = ${sql.lit(name)}`;
  const triggered = events('prefect.automation.triggered');
  const failed = events('prefect.automation.action.failed');
  const inTime = sql`and event.occurred >= ${given.since}`;
  const most = sql.lit(MOST_COUNTED);
  return sql<Tally>`select asked.id,
      (select event.occurred from ${triggered} order by event.occurred desc limit 1) as last_triggered,
      (select count(*) from (select 1 from ${triggered} ${inTime} limit ${most}) counted) as triggered_count,
      (select count(*) from (select 1 from ${failed} ${inTime} limit ${most}) counted) as failed_count,
      (select event.payload from ${failed} ${inTime} order by event.occurred desc limit 1) as last_failure
    from ${dialect.rowsFrom(given.asked, { id: 'uuid', resource: 'text' })} asked`;
});

export async function readAutomationsView(context: Context, offset: number) {
  const page = { sort: 'NAME_ASC', limit: MOST_AUTOMATIONS + 1, offset } as const;
  const found = await stored.list(context.db, null, page);
  const automations = found.slice(0, MOST_AUTOMATIONS);
  const next = found.length > MOST_AUTOMATIONS ? offset + MOST_AUTOMATIONS : null;
  return { ...(await withTallies(context, automations)), next };
}

/** Undefined when the automation does not exist. */
export async function readAutomationView(context: Context, id: string) {
  const automation = await stored.first(context.db, { id });
  if (!automation) return undefined;
  const { since, automations, names } = await withTallies(context, [automation]);
  return { since, row: automations[0]!, names };
}

async function withTallies({ db, now }: Context, automations: readonly AutomationRow[]) {
  const since = addSeconds(now, -TALLY_SECONDS);
  const asked = JSON.stringify(automations.map(({ id }) => ({ id, resource: `prefect.automation.${id}` })));
  const [counted, names] = await Promise.all([db.all(tallies, { asked, since }), namesIn(db, automations)]);
  const byId = new Map(counted.map((tally) => [tally.id, tally]));
  return {
    since,
    names,
    automations: automations.map((automation) => {
      const {
        last_triggered = null,
        triggered_count = 0,
        failed_count = 0,
        last_failure = null,
      } = byId.get(automation.id) ?? {};
      return { automation, last_triggered, triggered_count, failed_count, last_failure: reasonIn(last_failure) };
    }),
  };
}

/** The reason why the action of an event failed. */
export function reasonIn(payload: string | null): string | null {
  const { reason } = payload === null ? {} : parseObject(payload as never);
  return typeof reason === 'string' ? reason : null;
}

/** Kinds of objects to which triggers and actions refer, in the spelling of resource ids, with their tables. */
const tables = {
  flow: 'flow',
  deployment: 'deployment',
  'work-pool': 'work_pool',
  'work-queue': 'work_queue',
  automation: 'automation',
  'block-document': 'block_document',
} as const;
const MENTIONED =
  /prefect\.(flow|deployment|work-pool|work-queue|automation)\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/g;
const CHOSEN =
  /"(deployment|work_pool|work_queue|automation|block_document)_id":\s*"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g;
const MOST_NAMES = 2000;

async function namesIn(db: Db, automations: readonly AutomationRow[]): Promise<Record<string, string>> {
  const wanted = new Map<string, { kind: string; id: string }>();
  for (const { trigger, actions, actions_on_trigger, actions_on_resolve } of automations) {
    for (const text of [trigger, actions, actions_on_trigger, actions_on_resolve]) {
      for (const pattern of [MENTIONED, CHOSEN]) {
        for (const [, kind = '', id = ''] of text.matchAll(pattern)) {
          const spelled = kind.replaceAll('_', '-');
          if (wanted.size < MOST_NAMES) wanted.set(`prefect.${spelled}.${id}`, { kind: spelled, id });
        }
      }
    }
  }
  if (wanted.size === 0) return {};
  const asked = JSON.stringify([...wanted.values()]);
  const rows = await db.all(namesOf, { asked });
  return Object.fromEntries(rows.map(({ kind, id, name }) => [`prefect.${kind}.${id}`, name]));
}

const namesOf = statement<{ asked: string }, { kind: string; id: string; name: string }>((_query, given, dialect) => {
  const select = ([kind, table]: [string, string]) =>
    sql`select asked.kind, asked.id, ${sql.ref(`${table}.name`)} as name
      from ${dialect.rowsFrom(given.asked, { kind: 'text', id: 'uuid' })} asked
      ${dialect.joinInOrder} ${sql.table(table)} on ${sql.ref(`${table}.workspace`)} = ${given.workspace}
        and ${sql.ref(`${table}.id`)} = asked.id
      where asked.kind = ${sql.lit(kind)}`;
  return sql<{
    kind: string;
    id: string;
    name: string;
  }>`${sql.join(Object.entries(tables).map(select), sql` union all `)}`;
});
