/** One deployment: its health and the reasons, its next runs and its past runs. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { RunBars } from '../components/chart/run-bars.tsx';
import { RunLines } from '../components/chart/run-lines.tsx';
import { JsonEditor } from '../components/form/json-editor.tsx';
import { Description } from '../components/markdown/description.tsx';
import { Facts, PageHead, Section } from '../components/page.tsx';
import { Reasons } from '../components/reasons.tsx';
import { objectOf } from '../components/schema-form/form-schema.ts';
import { SchemaForm } from '../components/schema-form/schema-form.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Tabs } from '../components/tabs.tsx';
import { Moment } from '../components/text/moment.tsx';
import { shortened } from '../components/text/shortened.ts';
import { Some } from '../components/use-some.tsx';
import { relativeTime } from '../design/time.ts';
import { runsNamed } from '../runs/list/run-fields.ts';
import { BackfillsTab } from './backfills-tab.tsx';
import { DeploymentActions } from './deployment-actions.tsx';
import { type DeploymentView, deploymentViewQuery } from './queries.ts';
import { Schedules } from './schedules.tsx';

const route = getRouteApi('/deployments/deployment/$id');

const PLACES = 50;

export function DeploymentPage() {
  const { id } = route.useParams();
  const { tab = 'runs' } = route.useSearch();
  const navigate = useNavigate({ from: '/deployments/deployment/$id' });
  const query = useQuery(deploymentViewQuery(id));
  const { data: view } = query;
  if (!view) return <Unread of={query} rows={14} isPage />;
  const { deployment, flow } = view;
  return (
    <>
      <PageHead
        title={deployment.name}
        trail={
          <>
            <Link to="/deployments" search={{}} className="hover:underline">
              Deployments
            </Link>
            <span aria-hidden="true">/</span>
            <Link to="/flows/flow/$id" params={{ id: flow.id }} className="hover:underline">
              {flow.name}
            </Link>
          </>
        }
        actions={<DeploymentActions view={view} />}
      />
      <div className="px-6 max-sm:px-4">
        <HealthPanel view={view} />
        <Summary view={view} />
        {deployment.description ? <Description text={deployment.description} className="mt-3" /> : null}
        <div className="mt-5 grid gap-x-8 gap-y-5 xl:grid-cols-2">
          <Section title="Last runs">
            <div className="border-t border-line pt-3">
              <RunBars runs={barsOf(view)} places={PLACES} height={64} width={9} isFitted />
            </div>
          </Section>
          <Schedules view={view} />
        </div>
      </div>
      <Tabs
        className="mt-5"
        value={tab}
        onChange={(value) => void navigate({ search: { tab: value }, replace: true })}
        tabs={[
          { id: 'runs', title: 'Runs', content: () => <Runs view={view} /> },
          { id: 'backfills', title: 'Backfills', content: () => <BackfillsTab deploymentId={id} /> },
          { id: 'parameters', title: 'Parameters', content: () => <Parameters view={view} /> },
          { id: 'versions', title: 'Versions', content: () => <Versions view={view} /> },
          { id: 'details', title: 'Details', content: () => <Details view={view} /> },
        ]}
      />
    </>
  );
}

function barsOf({ runs }: DeploymentView) {
  return runs.map((run) => ({ ...run, start: run.start_time ?? run.expected_start_time }));
}

/** One sentence that says whether runs start; below it, the reasons and advice. */
function HealthPanel({ view }: { readonly view: DeploymentView }) {
  const { reasons, work_pool: pool, deployment } = view;
  if (reasons.length > 0) {
    const isBlocked = reasons.some(({ blocks }) => blocks);
    return (
      <section
        aria-label="Health"
        className={`mb-4 border-l-4 bg-surface py-3 pr-4 pl-4 ${isBlocked ? 'border-failed' : 'border-control'}`}
      >
        <h2 className="mb-1 text-lg font-semibold">
          {isBlocked ? 'Its runs do not start' : 'It needs attention'}
          {view.late > 0 ? `, ${view.late} ${view.late === 1 ? 'is' : 'are'} late` : ''}
        </h2>
        <Reasons reasons={reasons} entrypoint={deployment.entrypoint} />
      </section>
    );
  }
  const workers = pool?.workers_online === 1 ? 'one worker is' : `${pool?.workers_online} workers are`;
  return (
    <p className="mb-4 text-soft">
      Ready: {pool ? `${workers} online in ${pool.name}` : 'a process serves it'}
      {view.next_run ? `, and the next run starts ${relativeTime(view.next_run.start)}` : ''}.
    </p>
  );
}

function Summary({ view }: { readonly view: DeploymentView }) {
  const { deployment } = view;
  const limit = deployment.global_concurrency_limit;
  return (
    <Facts
      className="flex flex-wrap items-center gap-x-6 gap-y-2"
      of={{
        'Next run': <NextRun of={view} />,
        'Work pool': deployment.work_pool_name ? (
          <>
            <Link
              to="/work-pools/work-pool/$name"
              params={{ name: deployment.work_pool_name }}
              className="hover:underline"
            >
              {deployment.work_pool_name}
            </Link>
            {deployment.work_queue_id && deployment.work_queue_name !== 'default' ? (
              <>
                {' / '}
                <Link
                  to="/work-queues/work-queue/$id"
                  params={{ id: deployment.work_queue_id }}
                  className="hover:underline"
                >
                  {deployment.work_queue_name}
                </Link>
              </>
            ) : null}
          </>
        ) : undefined,
        'Runs at a time': limit ? (
          <Link
            to="/concurrency-limits/concurrency-limit/$id"
            params={{ id: limit.id }}
            className="tabular hover:underline"
          >
            {limit.active_slots} of {limit.limit}
          </Link>
        ) : (
          'no limit'
        ),
        Version: deployment.version ? deployment.version : undefined,
        Tags:
          (deployment.tags ?? []).length > 0 ? (
            <Some of={deployment.tags ?? []} step={20}>
              {(tag) => (
                <Link key={tag} to="/deployments" search={{ tag }} className="mr-1.5 hover:underline">
                  {shortened(tag)}
                </Link>
              )}
            </Some>
          ) : undefined,
      }}
    />
  );
}

function NextRun({ of: { next_run: next } }: { readonly of: DeploymentView }) {
  if (!next) return <span className="text-quiet">none</span>;
  if (next.id === null) return <Moment time={next.start} />;
  return (
    <Link to="/runs/flow-run/$id" params={{ id: next.id }} className="hover:underline">
      <Moment time={next.start} />
    </Link>
  );
}

function Runs({ view }: { readonly view: DeploymentView }) {
  if (view.runs.length === 0) return <p className="text-quiet">It has not run yet.</p>;
  return (
    <>
      <RunLines label="Runs of the deployment" runs={view.runs} without={['deployment']} />
      <p className="pt-2 text-xs">
        <Link
          to="/runs"
          search={runsNamed({ deployment: view.deployment.name }, { span: '30d' })}
          className="text-accent hover:underline"
        >
          All runs of the last 30 days
        </Link>
      </p>
    </>
  );
}

function Parameters({ view }: { readonly view: DeploymentView }) {
  const { parameters = {}, parameter_openapi_schema: schema, enforce_parameter_schema: isEnforced } = view.deployment;
  return (
    <div className="grid gap-x-10 gap-y-6 xl:grid-cols-2">
      <SchemaForm
        label="Parameters"
        schema={objectOf(schema)}
        value={parameters}
        onChange={() => undefined}
        isReadOnly
      />
      <Section title="Schema" aside={isEnforced ? 'The server checks it' : 'The server does not check it'}>
        <JsonEditor label="Schema" text={JSON.stringify(schema ?? {}, null, 2)} maxHeight={480} />
      </Section>
    </div>
  );
}

function Versions({ view }: { readonly view: DeploymentView }) {
  if (view.versions.length === 0) return <p className="text-quiet">No run of it tells a version yet.</p>;
  return (
    <table className="w-full max-w-180 text-left">
      <caption className="pb-2 text-left text-xs text-quiet">Versions of the newest 1,000 runs.</caption>
      <thead className="text-xs text-quiet">
        <tr className="ruled">
          <th className="py-1 font-normal">Version</th>
          <th className="py-1 text-right font-normal">Runs</th>
          <th className="py-1 pl-6 font-normal">First run</th>
          <th className="py-1 pl-6 font-normal">Last run</th>
        </tr>
      </thead>
      <tbody>
        {view.versions.map(({ version, runs, first, last }) => (
          <tr key={version ?? ''} className="ruled">
            <td className="py-1">
              {version ?? <span className="text-quiet">none</span>}
              {version === view.deployment.version ? <span className="ml-2 text-xs text-quiet">present</span> : null}
            </td>
            <td className="tabular py-1 text-right">{runs}</td>
            <td className="py-1 pl-6">
              <Moment time={first} />
            </td>
            <td className="py-1 pl-6">
              <Moment time={last} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Details({ view }: { readonly view: DeploymentView }) {
  const { deployment } = view;
  const facts = [
    ['Id', deployment.id],
    ['Entrypoint', deployment.entrypoint],
    ['Path', deployment.path],
    ['Created by', deployment.created_by?.display_value],
    ['Updated by', deployment.updated_by?.display_value],
  ] as const;
  return (
    <div className="grid gap-x-10 gap-y-6 xl:grid-cols-2">
      <dl className="grid content-start grid-cols-[8rem_minmax(0,1fr)] gap-y-1">
        {facts.map(([name, value]) =>
          value ? (
            <div key={name} className="contents">
              <dt className="text-quiet">{name}</dt>
              <dd className="break-all">{value}</dd>
            </div>
          ) : null,
        )}
        <dt className="text-quiet">Created</dt>
        <dd>
          <Moment time={deployment.created} absolute />
        </dd>
        <dt className="text-quiet">Updated</dt>
        <dd>
          <Moment time={deployment.updated} absolute />
        </dd>
      </dl>
      <div className="flex flex-col gap-5">
        <Section title="Job variables">
          <JsonEditor
            label="Job variables"
            text={JSON.stringify(deployment.job_variables ?? {}, null, 2)}
            isNumbered={false}
          />
        </Section>
        {deployment.pull_steps ? (
          <Section title="Pull steps">
            <JsonEditor label="Pull steps" text={JSON.stringify(deployment.pull_steps, null, 2)} isNumbered={false} />
          </Section>
        ) : null}
      </div>
    </div>
  );
}
