import { isEmptyTextQuery, matchesTextQuery, parseTextQuery } from '../../database/lists/text-search.ts';
import { matchesWithin, type WorkAllowance } from '../../fairness/foreign-work/allowance.ts';
import type { LogRow } from './queries.ts';
import type { LogFilter } from './schema.ts';

type Test = (log: LogRow, work: WorkAllowance) => boolean;

/** Tests a log in memory by the rules of `filter-fields.ts`. A log that exceeds the work allowance does not match. */
export function compileLiveLogFilter(filter: LogFilter): Test {
  const tests = [...levelTests(filter), ...timestampTests(filter), ...idTests(filter), ...textTests(filter)];
  if (tests.length === 0) return () => true;
  return filter.operator === 'or_'
    ? (log, work) => tests.some((test) => test(log, work))
    : (log, work) => tests.every((test) => test(log, work));
}

function levelTests({ level }: LogFilter): Test[] {
  const { ge_ = null, le_ = null } = level ?? {};
  if (ge_ === null && le_ === null) return [];
  return [(log) => (ge_ === null || log.level >= ge_) && (le_ === null || log.level <= le_)];
}

function timestampTests({ timestamp }: LogFilter): Test[] {
  const { before_ = null, after_ = null } = timestamp ?? {};
  if (before_ === null && after_ === null) return [];
  return [(log) => (before_ === null || log.timestamp <= before_) && (after_ === null || log.timestamp >= after_)];
}

function idTests({ flow_run_id, task_run_id }: LogFilter): Test[] {
  const tests: Test[] = [];
  const flowRuns = flow_run_id?.any_;
  if (flowRuns) tests.push((log) => log.flow_run_id !== null && flowRuns.includes(log.flow_run_id));
  const { any_: taskRuns = null, is_null_ = null } = task_run_id ?? {};
  if (taskRuns !== null || is_null_ !== null) {
    tests.push(
      (log) =>
        (taskRuns === null || (log.task_run_id !== null && taskRuns.includes(log.task_run_id))) &&
        (is_null_ === null || (log.task_run_id === null) === is_null_),
    );
  }
  return tests;
}

function textTests({ text }: LogFilter): Test[] {
  if (!text) return [];
  const query = parseTextQuery(text.query);
  return isEmptyTextQuery(query)
    ? []
    : [(log, work) => matchesWithin(() => matchesTextQuery(query, `${log.message} ${log.name}`, work))];
}
