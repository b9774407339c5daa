/** One flow: how it ran, its deployments. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../api/access.ts';
import { IconButton } from '../components/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../components/menu.tsx';
import { Moment } from '../components/moment.tsx';
import { Fact, PageHead } from '../components/page.tsx';
import { RunBars } from '../components/run-bars.tsx';
import { RunLines } from '../components/run-lines.tsx';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { Tabs } from '../components/tabs.tsx';
import { DeploymentLines } from '../deployments/deployment-lines.tsx';
import { countOfRuns } from './count-of-runs.ts';
import { DeleteFlow } from './delete-flow.tsx';
import { flowQuery, runsOfFlowQuery } from './queries.ts';

const route = getRouteApi('/flows/flow/$id');

const PLACES = 50;

export function FlowPage() {
  const { id } = route.useParams();
  const { tab = 'runs' } = route.useSearch();
  const navigate = useNavigate({ from: '/flows/flow/$id' });
  const queries = useQueryClient();
  const mayDelete = useMay('flows:write');
  const [isAsked, ask] = useState(false);
  const query = useQuery(flowQuery(id));
  const { data: flow } = query;
  if (query.isPending) {
    return (
      <div className="px-6 pt-6">
        <Skeleton rows={10} />
      </div>
    );
  }
  if (!flow) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <>
      <PageHead
        title={flow.name}
        trail={
          <Link to="/flows" search={{}} className="hover:underline">
            Flows
          </Link>
        }
        actions={
          <Menu
            trigger={
              <IconButton label="More">
                <Ellipsis size={15} />
              </IconButton>
            }
          >
            <MenuItem onSelect={() => void navigator.clipboard.writeText(id)}>Copy id</MenuItem>
            <MenuItem onSelect={() => void navigate({ to: '/runs', search: { flow: flow.name, span: '7d' } })}>
              All runs of the week
            </MenuItem>
            {mayDelete ? (
              <>
                <MenuSeparator />
                <MenuItem isDangerous onSelect={() => ask(true)}>
                  Delete
                </MenuItem>
              </>
            ) : null}
          </Menu>
        }
      />
      <dl className="flex flex-wrap items-center gap-x-6 gap-y-2 px-6 max-sm:px-4">
        <Fact name="Last run">
          <Moment time={flow.last_runs.find(({ state_type }) => state_type !== 'SCHEDULED')?.start} />
        </Fact>
        <Fact name="Next run">
          <Moment time={flow.next_run?.start} />
        </Fact>
        <Fact name="Runs">{countOfRuns(flow.runs)}</Fact>
        {flow.tags.length > 0 ? <Fact name="Tags">{flow.tags.join(', ')}</Fact> : null}
        <Fact name="First seen">
          <Moment time={flow.created} />
        </Fact>
      </dl>
      {flow.last_runs.length > 0 ? (
        <div className="overflow-hidden px-6 pt-4 max-sm:px-4">
          <RunBars runs={flow.last_runs} places={PLACES} height={56} width={12} />
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
      <DeleteFlow
        flow={isAsked ? flow : undefined}
        onClose={() => ask(false)}
        onDeleted={async () => {
          await queries.invalidateQueries({ queryKey: ['flows'] });
          await navigate({ to: '/flows', search: {} });
        }}
      />
    </>
  );
}

function Runs({ id }: { readonly id: string }) {
  const { data, isPending, error, refetch } = useQuery(runsOfFlowQuery(id));
  if (isPending) return <Skeleton rows={8} />;
  if (!data) return <Failed error={error} retry={() => void refetch()} />;
  if (data.runs.length === 0) return <p className="text-quiet">This flow has not run yet.</p>;
  return <RunLines label="Runs of the flow" runs={data.runs} />;
}
