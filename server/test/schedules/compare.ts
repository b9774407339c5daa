/**
 * Compares our dates of schedules with those of the reference server's generators:
 *
 *   node server/test/schedules/compare.ts --python /path/to/python --seed 1 --count 20000
 *   node server/test/schedules/compare.ts --python /path/to/python --all-zones
 *   node server/test/schedules/compare.ts --python /path/to/python --zones Europe/Berlin,Australia/Hobart
 *
 * The first command compares at random, the others around every clock change from 2024 to 2030, of every zone or of these. Python
 * must be 3.13 or later, because older versions place a skipped time an hour earlier. It needs Prefect 3.9.1 and zones
 * of this Node's edition (README). Exit code 1 when a date differs.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { timeZoneFault } from '../../src/schedules/time-zone.ts';
import type { DateRequest } from './date-request.ts';
import { datesOf } from './dates-of.ts';
import { dateRequests } from './generate.ts';
import { isNegativeSaving, isSkippedMarch } from './known-differences.ts';
import { requestsAroundTransitions } from './transition-requests.ts';

const { values } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '5000' },
    'all-zones': { type: 'boolean', default: false },
    zones: { type: 'string', default: '' },
    vectors: { type: 'boolean', default: false },
  },
});

const oracle = spawn(values.python, [join(import.meta.dirname, 'oracle.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
const answers = createInterface({ input: oracle.stdout })[Symbol.asyncIterator]();
const { editions, ...there } = JSON.parse((await answers.next()).value ?? '{}');
const edition = process.versions['tz'];
if (Object.values(editions).some((other) => other !== edition))
  throw new Error(`Node's time zones are of edition ${edition}, Python's of ${JSON.stringify(editions)}.`);
const zones: readonly string[] = there.zones.filter((zone: string) => !timeZoneFault(zone));
const onlyThere = there.zones.filter((zone: string) => timeZoneFault(zone));
const onlyHere = Intl.supportedValuesOf('timeZone').filter((zone) => !zones.includes(zone));

const tally = {
  same: 0,
  different: 0,
  refusedByBoth: 0,
  tooSlowThere: 0,
  tooCostlyHere: 0,
  emptyRuleThere: 0,
  noDateThere: 0,
  negativeSavingThere: 0,
  skippedMarchThere: 0,
  dates: 0,
};
const vectors: unknown[] = [];

const chosen = values['all-zones'] ? zones : values.zones.split(',').filter(Boolean);
for (const request of chosen.length > 0
  ? chosen.values().flatMap(requestsAroundTransitions)
  : dateRequests(Number(values.seed), zones).take(Number(values.count)))
  compare(request, await datesThere(request));

async function datesThere(request: DateRequest): Promise<string[] | { fault: string }> {
  oracle.stdin.write(`${JSON.stringify(request)}\n`);
  return JSON.parse((await answers.next()).value ?? 'null');
}

function compare(request: DateRequest, theirs: string[] | { fault: string }): void {
  const ours = datesOf(request);
  const fault = Array.isArray(theirs) ? undefined : theirs.fault;
  if (fault?.startsWith('TooSlow')) tally.tooSlowThere += 1;
  else if (!Array.isArray(ours) && ours.fault.startsWith('ScheduleTooCostly')) tally.tooCostlyHere += 1;
  // The reference fails when one rule of a series can never fire.
  else if (fault?.includes('resulting in empty rule')) tally.emptyRuleThere += 1;
  // It fails where there is no date, also where only one half of "day of month or weekday" can never fire.
  else if (fault?.startsWith('CroniterBadDateError')) tally.noDateThere += 1;
  else if (fault && !Array.isArray(ours)) tally.refusedByBoth += 1;
  else if (inOrder(ours) === inOrder(theirs)) {
    tally.same += 1;
    tally.dates += Array.isArray(theirs) ? theirs.length : 0;
    if (values.vectors)
      vectors.push({
        ...request,
        count: Math.min(4, request.count),
        dates: Array.isArray(ours) ? ours.slice(0, 4) : [],
      });
  } else if (Array.isArray(theirs) && Array.isArray(ours) && isNegativeSaving(request, theirs, ours)) {
    tally.negativeSavingThere += 1;
  } else if (Array.isArray(theirs) && Array.isArray(ours) && isSkippedMarch(request, theirs, ours)) {
    tally.skippedMarchThere += 1;
  } else {
    tally.different += 1;
    if (tally.different <= 20) console.error(JSON.stringify({ ...request, theirs, ours }));
  }
}

/** The reference sorts its answers by the wall clock, which is another order in a repeated hour. */
function inOrder(dates: readonly string[] | { fault: string }): string {
  return JSON.stringify(
    Array.isArray(dates)
      ? dates.toSorted((a, b) => Temporal.Instant.compare(Temporal.Instant.from(a), Temporal.Instant.from(b)))
      : dates,
  );
}

oracle.stdin.end();
if (values.vectors) console.log(`[\n${vectors.map((vector) => JSON.stringify(vector)).join(',\n')}\n]`);
else console.log(JSON.stringify({ edition, zones: zones.length, onlyThere, onlyHere, ...tally }));
process.exitCode = tally.different > 0 ? 1 : 0;
