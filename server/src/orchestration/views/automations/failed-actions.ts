/** Automations whose actions failed. A failed notification or start is not visible anywhere else. */
import { statement } from '../../../database/statement.ts';
import type { Db } from '../../../database/store.ts';
import type { Timestamp } from '../../../values/time.ts';
import { automations } from '../../automations/queries.ts';
import { reasonIn } from './automations.ts';

const MOST_READ = 1000;
const MOST_SHOWN = 5;
const MOST_LOOKED_UP = 20;
const RESOURCE = 'prefect.automation.';

/** Finds the failures by the name of the event and its time. */
const listFailures = statement<{ since: Timestamp }, { resource_id: string; payload: string; occurred: Timestamp }>(
  (query, given) =>
    query
      .selectFrom('event')
      .select(['resource_id', 'payload', 'occurred'])
      .where('workspace', '=', given.workspace)
      .where('event', '=', 'prefect.automation.action.failed')
      .where('occurred', '>=', given.since)
      .orderBy('occurred', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST_READ),
);

interface FailedActions {
  readonly automation_id: string;
  readonly automation_name: string;
  readonly count: number;
  readonly last: Timestamp;
  readonly last_failure: string | null;
}

/** Failures of automations that still exist, newest first. */
export async function readFailedActions(db: Db, since: Timestamp): Promise<FailedActions[]> {
  const failures = await db.all(listFailures, { since });
  const byAutomation = Map.groupBy(failures, ({ resource_id }) => resource_id.slice(RESOURCE.length));
  const found: FailedActions[] = [];
  for (const [automation_id, [newest, ...others]] of [...byAutomation].slice(0, MOST_LOOKED_UP)) {
    if (found.length === MOST_SHOWN) break;
    const automation = await automations.first(db, { id: automation_id });
    if (!newest || !automation) continue;
    found.push({
      automation_id,
      automation_name: automation.name,
      count: others.length + 1,
      last: newest.occurred,
      last_failure: reasonIn(newest.payload),
    });
  }
  return found;
}
