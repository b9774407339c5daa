/** One flow: its runs and its deployments. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { RunBars } from '../components/chart/run-bars.tsx';
import { RunLines } from '../components/chart/run-lines.tsx';
import { MenuItem, MenuSeparator } from '../components/menu.tsx';
import { ObjectMenu } from '../components/object-menu.tsx';
import { Facts, PageHead } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Tabs } from '../components/tabs.tsx';
import { Moment } from '../components/text/moment.tsx';
import { DeploymentLines } from '../deployments/deployment-lines.tsx';
import { runsNamed } from '../runs/list/run-fields.ts';
import { usePageActions } from '../shell/page-actions.ts';
import { flowCommands } from './commands.ts';
import { countOfRuns } from './count-of-runs.ts';
import { DeleteFlow } from './delete-flow.tsx';
import { type FlowRow, flowQuery, runsOfFlowQuery } from './queries.ts';

const route = getRouteApi('/flows/flow/$id');

const PLACES = 50;

export function FlowPage() {
  const { id } = route.useParams();
  const { tab = 'runs' } = route.useSearch();
  const navigate = useNavigate({ from: '/flows/flow/$id' });
  const query = useQuery(flowQuery(id));
  const { data: flow } = query;
  if (!flow) return <Unread of={query} rows={10} isPage />;
  return (
    <>
      <PageHead title={flow.name} trail={[['Flows', { to: '/flows', search: {} }]]} actions={<Actions flow={flow} />} />
      <Facts
        className="flex flex-wrap items-center gap-x-6 gap-y-2 px-6 max-sm:px-4"
        of={{
          'Last run': <Moment time={flow.last_runs.find(({ state_type }) => state_type !== 'SCHEDULED')?.start} />,
          'Next run': <Moment time={flow.next_run?.start} />,
          Runs: countOfRuns(flow.runs),
          Tags: flow.tags.length > 0 ? flow.tags.join(', ') : undefined,
          'First seen': <Moment time={flow.created} />,
        }}
      />
      {flow.last_runs.length > 0 ? (
        <div className="px-6 pt-4 max-sm:px-4">
          <RunBars runs={flow.last_runs} places={PLACES} height={56} width={12} isFitted />
        </div>
      ) : null}
      <Tabs
        className="mt-4"
        value={tab}
        onChange={(value) => void navigate({ search: { tab: value }, replace: true })}
        tabs={[
          { id: 'runs', title: 'Runs', content: () => <Runs id={id} /> },
          {
            id: 'deployments',
            title: 'Deployments',
            count: flow.deployments,
            content: () => <DeploymentLines filter={{ flow_id: id }} />,
          },
        ]}
      />
    </>
  );
}

function Actions({ flow }: { readonly flow: FlowRow }) {
  const { id, name } = flow;
  const navigate = useNavigate();
  const mayDelete = useMay('flows:write');
  const [asked, setAsked] = useState<'commands' | 'delete'>();
  const showRuns = () => void navigate({ to: '/runs', search: runsNamed({ flow: name }, { span: '7d' }) });
  usePageActions([
    { title: 'All runs of this flow in the past week', act: showRuns },
    { title: 'This flow as commands…', act: () => setAsked('commands') },
    mayDelete && { title: 'Delete this flow…', act: () => setAsked('delete') },
  ]);
  return (
    <>
      <ObjectMenu
        id={id}
        commands={flowCommands(id, mayDelete)}
        isShowingCommands={asked === 'commands'}
        onCommands={(isShown) => setAsked(isShown ? 'commands' : undefined)}
      >
        <MenuItem onSelect={showRuns}>All runs of the week</MenuItem>
        {mayDelete ? (
          <>
            <MenuSeparator />
            <MenuItem isDangerous onSelect={() => setAsked('delete')}>
              Delete
            </MenuItem>
          </>
        ) : null}
      </ObjectMenu>
      <DeleteFlow
        flow={asked === 'delete' ? flow : undefined}
        onClose={() => setAsked(undefined)}
        onDeleted={async () => {
          await invalidate('/views/flows');
          await navigate({ to: '/flows', search: {} });
        }}
      />
    </>
  );
}

function Runs({ id }: { readonly id: string }) {
  const query = useQuery(runsOfFlowQuery(id));
  const { data } = query;
  if (!data) return <Unread of={query} rows={8} />;
  if (data.runs.length === 0) return <p className="text-quiet">This flow has not run yet.</p>;
  return <RunLines label="Runs of the flow" runs={data.runs} />;
}
