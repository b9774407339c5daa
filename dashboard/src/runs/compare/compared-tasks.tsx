/** The run time of each task in two runs, those with the greatest difference first. */
import { Link } from '@tanstack/react-router';
import { Section } from '../../components/page.tsx';
import { useSome } from '../../components/use-some.tsx';
import { StateMark } from '../../design/state-mark.tsx';
import { duration } from '../../design/time.ts';
import type { RunComparison } from './queries.ts';

type Task = RunComparison['tasks'][number];
type Times = NonNullable<Task['a']>;

const STEP = 20;

interface Props {
  readonly tasks: readonly Task[];
  readonly areAll: boolean;
}

export function ComparedTasks({ tasks, areAll }: Props) {
  const { shown, more } = useSome(tasks, STEP);
  const longest = Math.max(...tasks.flatMap(({ a, b }) => [a?.run_time ?? 0, b?.run_time ?? 0]));
  return (
    <Section title="Tasks" aside={areAll ? null : 'Of the first 10,000 task runs of each run'}>
      {tasks.length === 0 ? (
        <p className="text-quiet">Neither run has task runs.</p>
      ) : (
        <table className="w-full table-fixed border-collapse text-left">
          <caption className="sr-only">Run time of tasks</caption>
          <thead>
            <tr className="ruled text-xs text-quiet">
              <th scope="col" className="w-1/4 py-1 font-normal">
                Task
              </th>
              <th scope="col" className="py-1 font-normal">
                A
              </th>
              <th scope="col" className="py-1 font-normal">
                B
              </th>
              <th scope="col" className="w-1/6 py-1 text-right font-normal max-sm:w-1/5">
                Difference
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((task) => (
              <tr key={`${task.a?.id} ${task.b?.id}`} className="ruled align-baseline">
                <th scope="row" className="py-1 pr-4 font-medium wrap-anywhere">
                  <span className="mr-2">{task.name}</span>
                  {task.is_changed ? (
                    <span
                      className="text-xs font-normal whitespace-nowrap text-quiet"
                      title="The key of the task differs: its code or its place in the file is another"
                    >
                      other code
                    </span>
                  ) : null}
                </th>
                <TimesCell times={task.a} longest={longest} side="A" />
                <TimesCell times={task.b} longest={longest} side="B" />
                <td className="tabular py-1 text-right">{differenceOf(task)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {more}
    </Section>
  );
}

function differenceOf({ a, b }: Task): string {
  if (!a) return 'only in B';
  if (!b) return 'only in A';
  const seconds = b.run_time - a.run_time;
  return seconds === 0 ? '–' : `${seconds < 0 ? '−' : '+'}${duration(Math.abs(seconds))}`;
}

interface TimesProps {
  readonly times: Times | null;
  readonly longest: number;
  readonly side: 'A' | 'B';
}

function TimesCell({ times, longest, side }: TimesProps) {
  if (!times) return <td className="py-1 text-quiet">–</td>;
  const { id, is_subflow, count, failed, run_time } = times;
  return (
    <td className="py-1 pr-4">
      <div className="flex flex-wrap items-center gap-x-2">
        <Link
          to={is_subflow ? '/runs/flow-run/$id' : '/runs/task-run/$id'}
          params={{ id }}
          className="tabular hover:underline"
          aria-label={`${duration(run_time)} in ${side}: open ${failed > 0 ? 'the first that failed' : 'the longest'}`}
        >
          {duration(run_time)}
        </Link>
        {count > 1 ? <span className="tabular text-xs text-quiet">×{count.toLocaleString('en')}</span> : null}
        {failed > 0 ? (
          <span className="tabular inline-flex items-center gap-1 text-xs text-failed-text">
            <StateMark kind="FAILED" size={12} />
            {failed.toLocaleString('en')} failed
          </span>
        ) : null}
      </div>
      <div
        aria-hidden="true"
        className="mt-0.5 h-1 rounded-bar bg-control"
        style={{ width: `${longest === 0 ? 0 : (run_time / longest) * 100}%` }}
      />
    </td>
  );
}
