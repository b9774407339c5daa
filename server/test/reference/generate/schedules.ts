import { type Symbolic, type SymbolicObject, Verbatim } from './symbols.ts';
import type { World } from './world.ts';

const CRONS = [
  '0 0 * * *',
  '*/15 * * * *',
  '5 4 * * 1-5',
  '@daily',
  '0 12 1 * *',
  '30 2 * * 0',
  '0 9 1,15 * mon',
  '*/10 * * * * 30',
];
const BAD_CRONS = ['not a cron', '* * *', '61 * * * *', 'R R * * *', '', '0 0 31 2 *'];
const RRULES = [
  'FREQ=DAILY;COUNT=10',
  'FREQ=HOURLY;INTERVAL=6',
  'DTSTART:20240101T000000\nRRULE:FREQ=WEEKLY;BYDAY=MO,WE',
  'DTSTART:20240101T090000Z\nRRULE:FREQ=MONTHLY;BYMONTHDAY=1,-1\nEXDATE:20270101T090000Z',
  'RRULE:FREQ=MINUTELY;INTERVAL=45',
  'DTSTART;TZID=Europe/Berlin:20240101T070000\nRRULE:FREQ=DAILY',
];
const BAD_RRULES = ['FREQ=NOPE', '', 'RDATE', 'x'.repeat(6501), 'DTSTART:20240101T000000'];
const ZONES = ['UTC', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata'];

function schedule(world: World): SymbolicObject {
  const { random } = world;
  const bad = random.chance(0.07);
  const zone = bad && random.chance(0.3) ? random.pick(['Mars/Olympus', '', 'utc+2']) : random.pick(ZONES);
  const timezone: SymbolicObject = random.chance(0.6) ? { timezone: zone } : {};
  const draw = random.next();
  if (draw < 0.4) {
    const interval = bad
      ? random.pick<Symbolic>([0, -5, 'soon', null])
      : random.pick<Symbolic>([3600, 86_400, 43_200, 5400.5, new Verbatim('7200.0'), 'PT6H', 'P1D']);
    const anchor = random.pick(['2024-01-01T00:00:00Z', '2024-06-01T09:30:00-04:00', '2028-03-01T12:00:00+01:00']);
    return { interval, anchor_date: anchor, ...timezone };
  }
  if (draw < 0.75) {
    const dayOr: SymbolicObject = random.chance(0.25) ? { day_or: random.chance(0.5) } : {};
    return { cron: random.pick(bad ? BAD_CRONS : CRONS), ...timezone, ...dayOr };
  }
  if (draw < 0.98) return { rrule: random.pick(bad ? BAD_RRULES : RRULES), ...timezone };
  return random.pick<SymbolicObject>([{}, { cron: '0 0 * * *', interval: 60 }, { every: 5 }]);
}

export function scheduleCreate(world: World): SymbolicObject {
  const { random } = world;
  return {
    schedule: schedule(world),
    ...world.optional({ active: () => random.chance(0.6) }, 0.6),
    ...world.optional({
      max_scheduled_runs: () => random.pick([1, 5, 50, 51, 0]),
      parameters: () => world.jsonObject(),
      slug: () => slug(world),
    }),
  };
}

export function scheduleUpdate(world: World): SymbolicObject {
  const { random } = world;
  return world.optional(
    {
      schedule: () => schedule(world),
      active: () => random.pick<Symbolic>([true, false, null]),
      max_scheduled_runs: () => random.pick<Symbolic>([3, null]),
      parameters: () => world.jsonObject(),
      slug: () => slug(world),
      replaces: () => slug(world),
    },
    0.35,
  );
}

/** Few, so that schedules share them. */
function slug(world: World): string {
  return world.random.pick(['slug-1', 'slug-2', 'slug-3', 'Any text, ünï']);
}
