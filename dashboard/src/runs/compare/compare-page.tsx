/** Two flow runs side by side: facts, parameters, the times of tasks, states and logs. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { Button, buttonClass } from '../../components/button.tsx';
import { PageHead, Section } from '../../components/page.tsx';
import { Empty, Unread } from '../../components/states-of-loading.tsx';
import { Differences } from '../../components/text/differences.tsx';
import { usePageActions } from '../../shell/page-actions.ts';
import { ComparedFacts } from './compared-facts.tsx';
import { ComparedLogs } from './compared-logs.tsx';
import { ComparedStates } from './compared-states.tsx';
import { ComparedTasks } from './compared-tasks.tsx';
import { comparisonQuery, type RunComparison } from './queries.ts';

const route = getRouteApi('/runs/compare');

export function ComparePage() {
  const { a, b } = route.useSearch();
  return a !== undefined && b !== undefined ? <Comparison a={a} b={b} /> : <NoRuns />;
}

function NoRuns() {
  return (
    <>
      <PageHead title="Compare runs" trail={[['Runs', { to: '/runs', search: {} }]]} />
      <Empty
        title="Choose two runs"
        action={
          <Link to="/runs" search={{}} className={buttonClass('primary')}>
            Runs
          </Link>
        }
      >
        Select two rows in the list of runs and press <kbd className="font-sans">=</kbd>, or open a run and compare it
        with the one before it.
      </Empty>
    </>
  );
}

function Comparison({ a, b }: { readonly a: string; readonly b: string }) {
  const { equal = false } = route.useSearch();
  const navigate = useNavigate({ from: '/runs/compare' });
  const query = useQuery(comparisonQuery(a, b));
  const swap = () => void navigate({ search: (old) => ({ ...old, a: b, b: a }), replace: true });
  usePageActions([{ title: 'Swap the two runs', key: 's', act: swap }]);
  const { data } = query;
  if (!data) return <Unread of={query} rows={14} isPage />;
  return (
    <>
      <PageHead
        title="Compare runs"
        trail={[
          ['Runs', { to: '/runs', search: {} }],
          ...(data.a.flow.id === data.b.flow.id
            ? [[data.a.flow.name, { to: '/runs', search: { flow: data.a.flow.name } }] as const]
            : []),
        ]}
        actions={
          <Button onClick={swap} title="Swap (s)">
            <ArrowLeftRight size={14} /> Swap
          </Button>
        }
      />
      <div className="flex flex-col gap-6 px-6 pb-12 max-sm:px-4">
        <ComparedFacts a={data.a} b={data.b} />
        <Given comparison={data} />
        <ComparedTasks tasks={data.tasks} areAll={data.are_all_tasks} />
        <ComparedStates a={data.a} b={data.b} asOf={data.as_of} />
        <ComparedLogs
          a={data.a}
          b={data.b}
          isEqualShown={equal}
          onShowEqual={(isShown) =>
            void navigate({
              search: (old) => ({ ...old, equal: isShown || undefined }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </div>
    </>
  );
}

/** The values with which the runs were started. */
function Given({ comparison: { parameters, job_variables } }: { readonly comparison: RunComparison }) {
  return (
    <>
      <Section title="Parameters">
        {parameters.length === 0 ? (
          <p className="text-quiet">The parameters are the same.</p>
        ) : (
          <DifferenceList of={parameters} />
        )}
      </Section>
      {job_variables.length === 0 ? null : (
        <Section title="Job variables">
          <DifferenceList of={job_variables} />
        </Section>
      )}
    </>
  );
}

function DifferenceList({ of }: { readonly of: RunComparison['parameters'] }) {
  return (
    <dl className="tabular grid max-w-240 grid-cols-[minmax(0,auto)_minmax(0,1fr)] gap-x-6 gap-y-1">
      <Differences of={of} />
    </dl>
  );
}
