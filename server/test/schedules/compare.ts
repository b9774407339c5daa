/**
 * Compares the dates that schedules have here with those of the reference server, whose own generators are asked:
 *
 *   node server/test/schedules/compare.ts --python /path/to/python --seed 1 --count 20000
 *
 * The Python must have Prefect 3.8.8 and be 3.13 or later, for older ones place a time that does not exist elsewhere;
 * `PYTHONTZPATH=` (empty) and `tzdata==2026.3` give it the zones of this Node. Exit code 1 when a date differs.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { datesOf } from './dates-of.ts';
import { dateRequests } from './generate.ts';

const { values } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '5000' },
    vectors: { type: 'boolean', default: false },
  },
});

const zones = Intl.supportedValuesOf('timeZone');
const oracle = spawn(values.python, [join(import.meta.dirname, 'oracle.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
const answers = createInterface({ input: oracle.stdout })[Symbol.asyncIterator]();
const tally = {
  same: 0,
  different: 0,
  refusedByBoth: 0,
  tooSlowThere: 0,
  tooCostlyHere: 0,
  emptyRuleThere: 0,
  noDateThere: 0,
  otherZoneDataThere: 0,
  dates: 0,
};
const vectors: unknown[] = [];

const requests = dateRequests(Number(values.seed), zones);
for (let index = 0; index < Number(values.count); index += 1) {
  const request = requests.next().value;
  oracle.stdin.write(`${JSON.stringify(request)}\n`);
  const { value = 'null' } = await answers.next();
  const theirs = JSON.parse(value) as string[] | { fault: string };
  const ours = datesOf(request);
  const fault = Array.isArray(theirs) ? undefined : theirs.fault;
  if (fault?.startsWith('TooSlow')) tally.tooSlowThere += 1;
  else if (fault?.startsWith('ZoneData')) tally.otherZoneDataThere += 1;
  else if (!Array.isArray(ours) && ours.fault.startsWith('ScheduleTooCostly')) tally.tooCostlyHere += 1;
  // The reference gives up when one rule of a series can never fire.
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
  } else {
    tally.different += 1;
    if (tally.different <= 20) console.error(JSON.stringify({ ...request, theirs, ours }, undefined, 1));
  }
}
/** The reference sorts what it answers by the wall clock, which in an hour that comes twice is another order. */
function inOrder(dates: readonly string[] | { fault: string }): string {
  return JSON.stringify(
    Array.isArray(dates)
      ? dates.toSorted((a, b) => Temporal.Instant.compare(Temporal.Instant.from(a), Temporal.Instant.from(b)))
      : dates,
  );
}

oracle.stdin.end();
if (values.vectors) console.log(`[\n${vectors.map((vector) => JSON.stringify(vector)).join(',\n')}\n]`);
else console.log(JSON.stringify(tally));
process.exitCode = tally.different > 0 ? 1 : 0;
