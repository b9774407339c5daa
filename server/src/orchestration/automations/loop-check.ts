/**
 * Refuses automations that would start the runs that trigger them. The rule covers only enabled automations with a
 * reactive event trigger. Source: `POST /automations/` of the Prefect server 3.9.1; `automations.test.ts` shows it.
 */
import { patternsOf } from '../../events/criteria.ts';
import type { Action } from './action-schema.ts';
import type { EventTrigger, LabelPatterns, Trigger } from './trigger-schema.ts';

const STARTING_STATES = new Set([
  'prefect.flow-run.Scheduled',
  'prefect.flow-run.Pending',
  'prefect.flow-run.Running',
  'prefect.flow-run.*',
]);

const INFERRED =
  "Running an inferred deployment from a flow run state change event will lead to an infinite loop of flow runs.  Please choose a specific deployment and add additional filtering labels to the match or match_related for this automation's trigger.";
const SELECTED =
  "Running a selected deployment from a flow run state change event may lead to an infinite loop of flow runs.  Please include additional filtering labels on either match or match_related to narrow down which flow runs will trigger this automation to exclude flow runs from the deployment you've selected.";

interface Checked {
  readonly enabled?: boolean;
  readonly trigger: Trigger;
  readonly actions: readonly Action[];
}

export function loopFault({ enabled = true, trigger, actions }: Checked): string | undefined {
  if (!enabled || trigger.type !== 'event' || trigger.posture !== 'Reactive') return undefined;
  if (!trigger.expect.some((name) => STARTING_STATES.has(name))) return undefined;
  for (const action of actions) {
    if (action.type !== 'run-deployment') continue;
    if (action.source === 'inferred') return INFERRED;
    if (!isNarrowed(trigger)) return SELECTED;
  }
  return undefined;
}

/** Related labels may be a list of alternatives: one alternative that fits every run is enough for a loop. */
function isNarrowed({ match, match_related }: EventTrigger): boolean {
  const related: readonly LabelPatterns[] = isList(match_related) ? match_related : [match_related];
  return !asksForAnyRun(match) || !related.some(asksForAnyRun);
}

function isList(value: EventTrigger['match_related']): value is readonly LabelPatterns[] {
  return Array.isArray(value);
}

function asksForAnyRun(labels: LabelPatterns): boolean {
  return Object.entries(labels).every(([label, patterns]) => {
    return label === 'prefect.resource.id' && patternsOf(patterns).includes('prefect.flow-run.*');
  });
}
