/** One work pool: whether its runs start, the reasons if not, its workers, queues and runs. */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { RunLines } from '../components/chart/run-lines.tsx';
import { Confirm } from '../components/dialog.tsx';
import { JsonEditor } from '../components/form/json-editor.tsx';
import { MenuItem, MenuSeparator } from '../components/menu.tsx';
import { ObjectMenu } from '../components/object-menu.tsx';
import { Facts, PageHead, Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Reasons } from '../components/reasons.tsx';
import { objectOf } from '../components/schema-form/form-schema.ts';
import { SchemaForm } from '../components/schema-form/schema-form.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Tabs } from '../components/tabs.tsx';
import { Moment } from '../components/text/moment.tsx';
import { useAction } from '../components/use-action.ts';
import { DeploymentLines } from '../deployments/deployment-lines.tsx';
import { usePageActions } from '../shell/page-actions.ts';
import { deletePool, updatePool } from './actions.ts';
import { workPoolCommands } from './commands.ts';
import { poolViewQuery, type WorkPoolView } from './queries.ts';
import { Queues } from './queues.tsx';
import { Workers } from './workers.tsx';

const route = getRouteApi('/work-pools/work-pool/$name');

export function PoolPage() {
  const { name } = route.useParams();
  const { tab = 'runs' } = route.useSearch();
  const navigate = useNavigate({ from: '/work-pools/work-pool/$name' });
  const query = useQuery(poolViewQuery(name));
  const { data: view } = query;
  if (!view) return <Unread of={query} rows={12} isPage />;
  const { work_pool: pool, summary } = view;
  return (
    <>
      <PageHead title={name} trail={[['Work pools', { to: '/work-pools' }]]} actions={<Actions view={view} />} />
      <div className="px-6 max-sm:px-4">
        <Verdict view={view} />
        <Facts
          className="mt-4 flex flex-wrap items-center gap-x-6 gap-y-2"
          of={{
            Type: pool.type,
            'Runs at a time': (
              <span className="tabular">
                {summary.running + summary.pending}
                {pool.concurrency_limit === null || pool.concurrency_limit === undefined
                  ? ', no limit'
                  : ` of ${pool.concurrency_limit}`}
              </span>
            ),
            Late: <span className={summary.late > 0 ? 'text-late-text' : ''}>{summary.late}</span>,
            'Last poll': <Moment time={summary.last_polled} />,
            Created: <Moment time={pool.created} />,
          }}
        />
        {pool.description ? <p className="mt-3 max-w-200 whitespace-pre-line text-soft">{pool.description}</p> : null}
        <div className="mt-5 grid gap-x-8 gap-y-5 xl:grid-cols-2">
          <Workers view={view} />
          <Queues view={view} />
        </div>
      </div>
      <Tabs
        className="mt-5"
        value={tab}
        onChange={(value) => void navigate({ search: { tab: value }, replace: true })}
        tabs={[
          {
            id: 'runs',
            title: 'Runs',
            count: view.active.length + view.waiting.length,
            content: () => <PoolRuns active={view.active} waiting={view.waiting} />,
          },
          {
            id: 'deployments',
            title: 'Deployments',
            count: summary.deployments,
            content: () => <DeploymentLines filter={{ work_pool: name }} />,
          },
          { id: 'template', title: 'Base job template', content: () => <Template view={view} /> },
        ]}
      />
    </>
  );
}

/** Says that the runs of the pool start, or why they do not. */
function Verdict({ view }: { readonly view: WorkPoolView }) {
  const { summary } = view;
  if (summary.reasons.length === 0) {
    const { workers_online: online } = summary;
    return <p className="text-soft">Ready: {online === 1 ? 'one worker is' : `${online} workers are`} online.</p>;
  }
  return (
    <section aria-label="Health" className="border-l-4 border-failed bg-surface py-3 pr-4 pl-4">
      <h2 className="mb-1 text-lg font-semibold">
        {summary.late > 0 ? 'Its runs do not start' : 'No run can start'}
        {summary.late > 0 ? `, ${summary.late} ${summary.late === 1 ? 'is' : 'are'} late` : ''}
      </h2>
      <Reasons reasons={summary.reasons} />
    </section>
  );
}

export function PoolRuns({ active, waiting }: Pick<WorkPoolView, 'active' | 'waiting'>) {
  if (active.length + waiting.length === 0) return <p className="text-quiet">Nothing runs here and nothing waits.</p>;
  return (
    <div className="flex flex-col gap-6">
      {waiting.length > 0 ? (
        <Section title="Due and not started" aside={waiting.length}>
          <RunLines label="Runs that wait" runs={waiting} />
        </Section>
      ) : null}
      {active.length > 0 ? (
        <Section title="Under way" aside={active.length}>
          <RunLines label="Active runs" runs={active} />
        </Section>
      ) : null}
    </div>
  );
}

function Template({ view }: { readonly view: WorkPoolView }) {
  const template = objectOf(view.work_pool.base_job_template);
  return (
    <div className="grid gap-x-10 gap-y-6 xl:grid-cols-2">
      <div>
        <p className="pb-2 text-quiet">
          What a deployment can set for its jobs, with the defaults of this pool. The template fills it into the job.
        </p>
        <SchemaForm
          label="Job variables"
          schema={objectOf(template['variables'])}
          value={{}}
          onChange={() => undefined}
          isReadOnly
        />
      </div>
      <Section title="Template">
        <JsonEditor label="Base job template" text={JSON.stringify(template, null, 2)} maxHeight={560} />
      </Section>
    </div>
  );
}

function Actions({ view }: { readonly view: WorkPoolView }) {
  const { work_pool: pool, summary } = view;
  const { name } = pool;
  const navigate = useNavigate();
  const mayChange = useMay('work_pools:write');
  const [asked, setAsked] = useState<'commands' | 'delete'>();
  const close = () => setAsked(undefined);
  const { run, problem } = useAction();
  const pause = () =>
    void run(
      async () => {
        await updatePool(name, { is_paused: !pool.is_paused });
        await invalidate('/views/work_pools/{name}', '/work_pools/{name}');
      },
      `Work pool ${name} ${pool.is_paused ? 'resumed' : 'paused'}`,
    );
  const edit = () => void navigate({ to: '/work-pools/work-pool/$name/edit', params: { name } });
  usePageActions([
    mayChange && { title: pool.is_paused ? 'Resume this work pool' : 'Pause this work pool', act: pause },
    mayChange && { title: 'Edit this work pool', act: edit },
    { title: 'This work pool as commands…', act: () => setAsked('commands') },
    mayChange && { title: 'Delete this work pool…', act: () => setAsked('delete') },
  ]);
  return (
    <>
      <ProblemNote text={problem} className="" />
      {mayChange ? (
        <>
          <Button onClick={pause}>{pool.is_paused ? 'Resume' : 'Pause'}</Button>
          <Link to="/work-pools/work-pool/$name/edit" params={{ name }} className={buttonClass()}>
            Edit
          </Link>
        </>
      ) : null}
      <ObjectMenu
        commands={workPoolCommands(view, mayChange)}
        isShowingCommands={asked === 'commands'}
        onCommands={(isShown) => setAsked(isShown ? 'commands' : undefined)}
      >
        {mayChange ? (
          <>
            <MenuSeparator />
            <MenuItem isDangerous onSelect={() => setAsked('delete')}>
              Delete
            </MenuItem>
          </>
        ) : null}
      </ObjectMenu>
      <Confirm
        isOpen={asked === 'delete'}
        onClose={close}
        question={`Delete the work pool ${name}?`}
        action="Delete work pool"
        done={`Work pool ${name} deleted`}
        {...(summary.deployments > 0 ? { name } : {})}
        onConfirm={async () => {
          await deletePool(name);
          await invalidate('/views/work_pools');
          await navigate({ to: '/work-pools' });
        }}
      >
        Its {summary.queues === 1 ? 'queue is' : `${summary.queues} queues are`} deleted with it.{' '}
        {summary.deployments > 0
          ? `${summary.deployments === 1 ? 'One deployment loses' : `${summary.deployments} deployments lose`} the pool, so nothing starts their runs. `
          : ''}
        Runs stay. This cannot be undone.
      </Confirm>
    </>
  );
}
