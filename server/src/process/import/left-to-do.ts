/** Sentences at the end of an import: its effect on the imported objects, and the next steps of the person. */
import { counted } from '../../values/counted.ts';
import { addSeconds, wireTimestamp } from '../../values/time.ts';
import type { Import } from './step.ts';
import type { Target } from './target.ts';

const DAY_SECONDS = 86_400;
const AGAIN = 'Stop the workers of the source, then run the import again with --activate.';

export function leftToDo({ target, activates }: Import): string[] {
  const { inactiveSchedules, disabledAutomations, activatedSchedules, activatedAutomations } = target;
  const { activeSchedules, activeAutomations, switchedOff, unfinishedRuns, overdueRuns } = target;
  const told: [number, string][] = [
    [
      inactiveSchedules + disabledAutomations,
      `${counted(inactiveSchedules, 'schedule')} and ${counted(disabledAutomations, 'automation')} that are active in the source ${target.isDry ? 'arrive' : 'are'} inactive here. ${AGAIN}`,
    ],
    [
      activatedSchedules + activatedAutomations,
      `${counted(activatedSchedules, 'schedule')} and ${counted(activatedAutomations, 'automation')} ${target.isDry ? 'become' : 'are now'} active here. Stop the source, so that nothing happens twice.`,
    ],
    [
      activeSchedules + activeAutomations,
      `${counted(activeSchedules, 'schedule')} and ${counted(activeAutomations, 'automation')} are already active here, and also in the source. Stop the source, so that nothing happens twice.`,
    ],
    [
      switchedOff,
      `${counted(switchedOff, 'schedule or automation', 'schedules and automations')} that ${are(switchedOff)} active in the source ${was(switchedOff)} switched off or changed here, and ${switchedOff === 1 ? 'stays' : 'stay'} inactive.`,
    ],
    [
      unfinishedRuns,
      `${counted(unfinishedRuns, 'flow run')} ${has(unfinishedRuns)} not ended in the source. Run the import again when ${unfinishedRuns === 1 ? 'it has' : 'they have'}.`,
    ],
    [
      overdueRuns,
      `${counted(overdueRuns, 'overdue flow run')} ${overdueRuns === 1 ? 'starts' : 'start'}${target.isDry ? '' : ' here'} as soon as a worker asks for work. Cancel ${overdueRuns === 1 ? 'it if it' : 'those that'} must not start.`,
    ],
  ];
  return [
    ...told.filter(([count]) => count > 0).map(([, sentence]) => sentence),
    ...kept(target),
    ...nothingNew(target, activates),
  ];
}

/** Says which rows the retention of this server would have deleted, and when it will. */
function kept({ kept: seconds, old, clock, isDry }: Target): string[] {
  const kinds = [
    ['flow_runs', 'flow run', 'flow runs and logs', 'SIGNALBOX_RUN_RETENTION_SECONDS'],
    ['events', 'event', 'events', 'SIGNALBOX_EVENT_RETENTION_SECONDS'],
  ] as const;
  return kinds.flatMap(([kind, one, many, setting]) => {
    const life = seconds[kind];
    const count = old[kind];
    if (life === undefined || count === 0) return [];
    const until = wireTimestamp(addSeconds(clock.now(), life)).slice(0, 10);
    const days = Number((life / DAY_SECONDS).toFixed(1));
    return [
      `${counted(count, one)} ${isDry ? 'to import' : 'of this import'} ${are(count)} older than the ${days} days for which Signalbox keeps them. Their age counts from the import: this workspace deletes no ${many} before ${until}. Set ${setting} to keep them longer.`,
    ];
  });
}

function nothingNew({ brought, isDry }: Target, activates: boolean): string[] {
  const all = [...brought.values()];
  if (isDry || all.length === 0 || all.some(({ added, changed }) => added + changed > 0)) return [];
  return [`Everything that the source returned already existed here${activates ? ', with the same activity' : ''}.`];
}

function are(count: number): string {
  return count === 1 ? 'is' : 'are';
}

function was(count: number): string {
  return count === 1 ? 'was' : 'were';
}

function has(count: number): string {
  return count === 1 ? 'has' : 'have';
}
