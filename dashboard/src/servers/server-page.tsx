/** One MCP server: its state, address, capabilities, access and settings. */

import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Organization } from '../api/access.ts';
import { ConnectDialog } from '../catalog/connect-dialog.tsx';
import { NoAccess } from '../catalog/request-access.tsx';
import { Button } from '../components/button.tsx';
import { ObjectMenu } from '../components/object-menu.tsx';
import { Fact, PageHead } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { type Tab, Tabs } from '../components/tabs.tsx';
import { Copy } from '../components/text/copy.tsx';
import { Moment } from '../components/text/moment.tsx';
import { count, failedOf, milliseconds } from '../design/figures.ts';
import { InOrganization } from '../organizations/in-organization.tsx';
import { usePageActions } from '../shell/page-actions.ts';
import { serverCommands } from './commands.ts';
import { BuildsTab } from './hosting/builds-tab.tsx';
import { EnvironmentTab } from './hosting/environment-tab.tsx';
import { ProcessTab } from './hosting/process-tab.tsx';
import { LimitsTab } from './limits-tab.tsx';
import { OutcomeCount } from './outcome-count.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { AccessTab } from './policy/access-tab.tsx';
import { ApprovalsTab } from './policy/approvals-tab.tsx';
import { CapabilitiesTab } from './policy/capabilities-tab.tsx';
import { PolicyTab } from './policy/policy-tab.tsx';
import { type ServerView, serverQuery } from './queries.ts';
import { RefreshButton } from './refresh-button.tsx';
import { ServerStateLabel } from './server-state.tsx';
import { SessionsTab } from './sessions-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { stateOf } from './state-of-server.ts';
import type { TabProps } from './tab-props.ts';
import { RemixTab } from './use/remix-tab.tsx';
import { TryTab } from './use/try-tab.tsx';

const route = getRouteApi('/servers/$server');

export function ServerPage() {
  return <InOrganization title="MCP server">{(organization) => <Page organization={organization} />}</InOrganization>;
}

function Page({ organization }: { readonly organization: Organization }) {
  const { server: slug } = route.useParams();
  const { tab = 'overview' } = route.useSearch();
  const navigate = useNavigate({ from: '/servers/$server' });
  const query = useQuery(serverQuery({ org: organization.slug, server: slug }));
  const { data: view } = query;
  if (!view) return <Unread of={query} rows={10} isPage />;
  const { server } = view;
  const { role } = server;
  const tabs = tabsOf({ organization, view });
  const shown = tabs.some(({ id }) => id === tab) ? tab : 'overview';
  const open = (id: string) => void navigate({ search: { tab: id === 'overview' ? undefined : id } });
  return (
    <>
      <PageHead
        title={server.name}
        trail={[['MCP servers', { to: '/servers' }]]}
        actions={role === null ? null : <Actions organization={organization} view={view} tabs={tabs} open={open} />}
      />
      <ServerFacts view={view} />
      {role === null ? (
        <NoAccess org={organization.slug} server={server.slug} />
      ) : (
        <Tabs tabs={tabs} value={shown} onChange={open} />
      )}
    </>
  );
}

interface ActionsProps extends TabProps {
  readonly tabs: readonly Tab[];
  readonly open: (tab: string) => void;
}

function Actions({ organization, view, tabs, open }: ActionsProps) {
  const { server } = view;
  const [isShowingCommands, showCommands] = useState(false);
  const [isConnecting, setConnecting] = useState(false);
  usePageActions([
    ...tabs.map(({ id, title }) => ({ title: `${title} of this server`, act: () => open(id) })),
    { title: 'Connect a client to this server', act: () => setConnecting(true) },
    { title: 'This server as commands…', act: () => showCommands(true) },
  ]);
  return (
    <>
      {server.role === 'viewer' || server.kind === 'builtin' ? null : (
        <RefreshButton path={{ org: organization.slug, server: server.slug }} />
      )}
      <Button onClick={() => setConnecting(true)}>Connect a client</Button>
      {server.authentication !== 'none' ? <Button onClick={() => open('try')}>Try a tool</Button> : null}
      <ObjectMenu
        id={server.id}
        commands={serverCommands(organization.slug, server)}
        isShowingCommands={isShowingCommands}
        onCommands={showCommands}
      />
      {isConnecting ? (
        <ConnectDialog org={organization.slug} server={server} onClose={() => setConnecting(false)} />
      ) : null}
    </>
  );
}

function ServerFacts({ view }: { readonly view: ServerView }) {
  const { server, figures } = view;
  const { why } = stateOf(view);
  return (
    <div className="px-6 pb-4 max-sm:px-4">
      {server.description ? <p className="mb-2 max-w-180 text-soft">{server.description}</p> : null}
      <dl className="flex flex-wrap gap-x-8 gap-y-2 max-sm:grid max-sm:grid-cols-2">
        <div className="min-w-0 max-sm:col-span-2">
          <dt className="text-xs text-quiet">Address</dt>
          <dd className="flex items-center gap-1">
            <span className="truncate font-mono text-xs" title={server.servingUrl}>
              {server.servingUrl}
            </span>
            <Copy text={server.servingUrl} what="address" />
          </dd>
        </div>
        <Fact name="State">
          <ServerStateLabel {...view} />
        </Fact>
        <Fact name="Kind">{server.kind === 'builtin' ? 'built in' : server.kind}</Fact>
        {figures ? (
          <>
            <Fact name="Calls, 24 h">{count(figures.requests)}</Fact>
            <Fact name="Failed">
              <OutcomeCount server={server.slug} number={failedOf(figures)} kind="failed" />
            </Fact>
            <Fact name="Denied">
              <OutcomeCount server={server.slug} number={figures.denied} kind="denied" />
            </Fact>
            <Fact name="p95">{milliseconds(figures.p95Microseconds)}</Fact>
          </>
        ) : null}
        {server.kind === 'builtin' ? null : (
          <Fact name="Last checked">
            <Moment time={server.manifestReadAt} />
          </Fact>
        )}
      </dl>
      {why ? (
        <p className={`mt-2 max-w-200 ${server.manifestError ? 'text-failed-text' : 'text-soft'}`}>{why}</p>
      ) : null}
    </div>
  );
}

function tabsOf(given: TabProps): readonly Tab[] {
  const { server, capabilities } = given.view;
  const isEditor = server.role === 'editor' || server.role === 'admin';
  const isAdministrator = server.role === 'admin';
  const tab = (id: string, title: string, Content: (props: TabProps) => React.ReactNode, amount?: number): Tab => ({
    id,
    title,
    count: amount,
    content: () => <Content {...given} />,
  });
  const amount = capabilities
    ? capabilities.tools.length + capabilities.resources.length + capabilities.prompts.length
    : undefined;
  return [
    tab('overview', 'Overview', OverviewTab),
    tab('capabilities', 'Capabilities', CapabilitiesTab, amount),
    ...(isEditor && server.kind === 'remix' ? [tab('choices', 'Choices', RemixTab)] : []),
    ...(server.authentication !== 'none' ? [tab('try', 'Try', TryTab)] : []),
    ...(isAdministrator ? [tab('access', 'Access', AccessTab), tab('policy', 'Policy', PolicyTab)] : []),
    ...(isEditor && server.kind === 'hosted'
      ? [
          tab('builds', 'Builds', BuildsTab),
          tab('process', 'Program', ProcessTab),
          tab('environment', 'Environment', EnvironmentTab),
        ]
      : []),
    ...(isEditor && server.authentication !== 'none'
      ? [tab('approvals', 'Approvals', ApprovalsTab), tab('limits', 'Limits', LimitsTab)]
      : []),
    ...(isEditor ? [tab('sessions', 'Sessions', SessionsTab), tab('settings', 'Settings', SettingsTab)] : []),
  ];
}
