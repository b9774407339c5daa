/** The facts of two runs. Those that differ are marked. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { shortened } from '../../components/text/shortened.ts';
import { StateLabel } from '../../design/state-mark.tsx';
import { stateKind } from '../../design/states.ts';
import { absoluteTime, duration } from '../../design/time.ts';
import { usePreferences } from '../../preferences/preferences.ts';
import type { ComparedRun } from './queries.ts';

interface Fact {
  readonly name: string;
  /** Equal texts mean equal facts. */
  readonly text: (run: ComparedRun) => string;
  /** The drawn value; the text when absent. */
  readonly value?: (run: ComparedRun) => ReactNode;
  /** True for what differs in any two runs, so that it needs no mark. */
  readonly isOwn?: boolean;
}

const facts: readonly Fact[] = [
  {
    name: 'State',
    text: ({ state_name }) => state_name ?? '',
    value: ({ state_type, state_name }) => <StateLabel kind={stateKind(state_type, state_name)} name={state_name} />,
  },
  {
    name: 'Started',
    isOwn: true,
    text: ({ start_time }) => start_time ?? '',
    value: ({ start_time }) =>
      start_time ? (
        <time dateTime={start_time} className="tabular">
          {absoluteTime(start_time)}
        </time>
      ) : null,
  },
  {
    name: 'Duration',
    isOwn: true,
    text: ({ start_time, run_time }) => (start_time ? duration(run_time) : ''),
  },
  { name: 'Tries', text: ({ run_count }) => String(run_count) },
  { name: 'Flow', text: ({ flow }) => flow.name },
  { name: 'Code version', text: ({ flow_version }) => flow_version ?? '' },
  {
    name: 'Deployment',
    text: ({ deployment }) => deployment?.id ?? '',
    value: ({ deployment }) =>
      deployment ? (
        <Link to="/deployments/deployment/$id" params={{ id: deployment.id }} className="hover:underline">
          {shortened(deployment.name)}
        </Link>
      ) : null,
  },
  { name: 'Version', text: ({ deployment_version }) => deployment_version ?? '' },
  { name: 'Work pool', text: ({ work_pool_name }) => work_pool_name ?? '' },
  { name: 'Work queue', text: ({ work_queue_name }) => work_queue_name ?? '' },
  { name: 'Infrastructure', isOwn: true, text: ({ infrastructure_pid }) => infrastructure_pid ?? '' },
  { name: 'Created by', text: ({ created_by }) => created_by ?? '' },
  { name: 'Tags', text: ({ tags }) => tags.toSorted().join(', ') },
];

interface Props {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
}

export function ComparedFacts({ a, b }: Props) {
  // Times depend on the chosen zone.
  usePreferences();
  return (
    <table className="w-full max-w-240 table-fixed border-collapse text-left">
      <caption className="sr-only">Facts of the two runs</caption>
      <thead>
        <tr className="ruled">
          <th scope="col" className="w-1/5 py-1 text-xs font-normal text-quiet max-sm:w-1/4">
            Run
          </th>
          {[a, b].map((run, index) => (
            <th key={index === 0 ? 'a' : 'b'} scope="col" className="min-w-0 py-1 pr-4 font-medium wrap-anywhere">
              <span className="mr-2 text-xs font-normal text-quiet">{index === 0 ? 'A' : 'B'}</span>
              <Link to="/runs/flow-run/$id" params={{ id: run.id }} className="text-accent hover:underline">
                {shortened(run.name)}
              </Link>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {facts
          .filter(({ text }) => text(a) !== '' || text(b) !== '')
          .map((fact) => (
            <FactRow key={fact.name} fact={fact} a={a} b={b} />
          ))}
      </tbody>
    </table>
  );
}

function FactRow({ fact: { name, text, value, isOwn = false }, a, b }: Props & { readonly fact: Fact }) {
  const differs = !isOwn && text(a) !== text(b);
  return (
    <tr className="ruled align-baseline">
      <th scope="row" className="py-1 text-xs font-normal text-quiet">
        {name}
        {differs ? (
          <>
            <span aria-hidden="true" className="ml-1.5 font-semibold text-ink">
              ≠
            </span>
            <span className="sr-only"> differs</span>
          </>
        ) : null}
      </th>
      {[a, b].map((run, index) => (
        <td
          key={index === 0 ? 'a' : 'b'}
          className={`py-1 pr-4 wrap-anywhere ${differs ? 'font-medium' : 'text-soft'}`}
        >
          {text(run) === '' ? (
            <span className="font-normal text-quiet">–</span>
          ) : (
            (value?.(run) ?? shortened(text(run)))
          )}
        </td>
      ))}
    </tr>
  );
}
