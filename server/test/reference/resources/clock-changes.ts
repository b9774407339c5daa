import { addSeconds, type Timestamp } from '../../../src/values/time.ts';
import type { DateRequest } from '../../schedules/date-request.ts';
import { requestsAroundTransitions } from '../../schedules/transition-requests.ts';
import { http, type Resource } from '../generate/resource.ts';
import { path, Ref, type SymbolicObject } from '../generate/symbols.ts';
import type { World } from '../generate/world.ts';

/** Zones whose changes differ in their day, their hour or their length. */
const ZONES = [
  'Europe/Berlin',
  'Europe/London',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'America/Havana',
  'Australia/Lord_Howe',
  'Australia/Hobart',
  'Pacific/Auckland',
  'Asia/Jerusalem',
];
const FIRST = '2025';
const DAY = 86_400;
const MOST_RUNS = 20;

const known = new Map<string, readonly DateRequest[]>();

/** Schedules of all kinds, from a moment before, in or after a change of the clocks, with anchors on either side of it. */
export const clockChanges: Resource = {
  name: 'schedules around changes of the clocks',
  actions: [
    {
      routes: ['POST /deployments/{id}/schedule', 'POST /flow_runs/filter'],
      weight: 2,
      *steps(world) {
        const flow = world.some('flow');
        const asked = world.random.pick(requestsOf(world.random.pick(ZONES)));
        const made = http('POST /deployments/', path`/deployments/`, {
          note: 'with a schedule around a change of the clocks',
          body: {
            name: world.name('clocks'),
            flow_id: flow ? new Ref(flow) : world.random.uuid(),
            schedules: [{ schedule: asked.schedule as SymbolicObject, active: true }],
          },
          learn: (bodies) => world.add('deployment of clocks', bodies),
        });
        yield made;
        yield* askForRuns(world, asked);
      },
    },
  ],
};

function* askForRuns(world: World, { start, end }: DateRequest): ReturnType<Resource['actions'][number]['steps']> {
  const deployment = world.alive('deployment of clocks').at(-1);
  if (!deployment) return;
  const id = new Ref(deployment);
  yield http('POST /deployments/{id}/schedule', path`/deployments/${id}/schedule`, {
    note: 'around a change of the clocks',
    body: { start_time: start, end_time: end, max_runs: MOST_RUNS },
  });
  yield http('POST /flow_runs/filter', path`/flow_runs/filter`, {
    note: 'around a change of the clocks',
    body: { deployments: { id: { any_: [id] } }, sort: 'EXPECTED_START_TIME_ASC' },
    rows: { key: (row) => String(row.expected_start_time), limit: 200 },
  });
  yield http('DELETE /deployments/{id}', path`/deployments/${id}`, { silent: true });
  deployment.die();
}

/** With an older Python the reference takes other dates of an interval in an hour that comes twice. */
const HAS_NEW_PYTHON = process.env['SIGNALBOX_TEST_REFERENCE_PYTHON'] !== undefined;

/** True for a change that sets the clocks back. */
function comesTwice(zone: string, change: Timestamp): boolean {
  const [before, after] = [addSeconds(change, -1), change].map((moment) =>
    Number(Temporal.Instant.from(moment).toZonedDateTimeISO(zone).offsetNanoseconds),
  );
  return after! < before!;
}

/** Without those for which the reference needs Python 3.13, and without days that it leaves out in March. */
function requestsOf(zone: string): readonly DateRequest[] {
  const found =
    known.get(zone) ??
    [...requestsAroundTransitions(zone)].filter(({ schedule: { interval, cron }, start, end }) => {
      if (interval !== undefined && !HAS_NEW_PYTHON && comesTwice(zone, addSeconds(end, -DAY))) return false;
      const isMixed = typeof interval === 'number' && interval > DAY && interval % DAY !== 0;
      const isLateInMonth = typeof cron === 'string' && Number(cron.split(' ')[2]) > 28;
      return start >= FIRST && !isMixed && !isLateInMonth;
    });
  known.set(zone, found);
  return found;
}
