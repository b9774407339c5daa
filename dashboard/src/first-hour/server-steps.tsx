/** The first MCP server, and the first call through it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { type Organization, useAccess } from '../api/access.ts';
import { firstAdministrator } from '../api/command.ts';
import { invalidate } from '../api/read.ts';
import { serverFacts } from '../api/server-facts.ts';
import { ClientSnippets } from '../catalog/connect-client.tsx';
import { entryQuery } from '../catalog/queries.ts';
import { buttonClass } from '../components/button.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Moment } from '../components/text/moment.tsx';
import { Snippet } from '../components/text/snippet.tsx';
import { signInAddress } from '../shell/sign-in/sign-in.ts';
import { KeyOffer } from './key-offer.tsx';
import { type FirstServers, firstServersQuery } from './queries.ts';
import { Step } from './step.tsx';

export function ServerSteps() {
  const access = useAccess();
  const organization = access?.organizations.find(({ id }) => id === access.organizationId) ?? access?.organizations[0];
  if (!access) return null;
  if (!organization) return <WithoutAccount isSignedIn={access.user !== null} />;
  return <Steps organization={organization} workspace={access.workspaceId ?? undefined} />;
}

function WithoutAccount({ isSignedIn }: { readonly isSignedIn: boolean }) {
  if (isSignedIn) {
    return (
      <p className="py-2 text-soft">MCP servers belong to organizations. Ask an administrator for an invitation.</p>
    );
  }
  if (serverFacts.hasAccounts) {
    return (
      <p className="py-2 text-soft">
        MCP servers belong to organizations, and only members see them.{' '}
        <a className="text-accent underline" href={signInAddress()}>
          Sign in
        </a>
      </p>
    );
  }
  return (
    <div className="max-w-180 py-2">
      <p className="mb-2 text-soft">
        MCP servers belong to an organization with people in it. Open the link that the start of the server printed, or
        create the first administrator.
      </p>
      <Snippet title="On the machine of the server" text={firstAdministrator} />
    </div>
  );
}

interface StepsProps {
  readonly organization: Organization;
  readonly workspace: string | undefined;
}

function Steps({ organization, workspace }: StepsProps) {
  const query = useQuery(firstServersQuery(organization.slug, workspace));
  const { data: view } = query;
  const isCalled = view?.call != null;
  // Home hears of no call, and shows the steps until they are complete.
  useEffect(() => {
    if (isCalled) void invalidate('/views/home', '/first_hour');
  }, [isCalled]);
  if (!view) return <Unread of={query} rows={2} />;
  const { server, builtin, call } = view;
  const target = server ?? builtin;
  const hasServer = server !== null && server.manifestError === null;
  const isAdministrator = organization.role === 'admin';
  return (
    <ol className="border-t border-line">
      <Step
        title="Put an MCP server behind the gateway"
        isArrived={hasServer}
        isNext={!hasServer && isAdministrator}
        says={
          server ? (
            <>
              <Link to="/servers/$server" params={{ server: server.slug }} className="hover:underline">
                {server.name}
              </Link>
              {server.manifestError ? <span className="text-failed-text"> {server.manifestError}</span> : null}
            </>
          ) : isAdministrator ? (
            'Waits for the first server'
          ) : (
            'An administrator of the organization can add one'
          )
        }
      >
        {isAdministrator ? <NewServer view={view} /> : null}
      </Step>
      <Step
        title="Call a tool"
        isArrived={call !== null}
        isNext={call === null && (hasServer || !isAdministrator)}
        says={
          call ? (
            <>
              {call.capability ?? 'A call'} at{' '}
              <Link to="/servers/$server" params={{ server: call.server }} className="hover:underline">
                {call.server}
              </Link>{' '}
              <Moment time={call.occurred} />
            </>
          ) : (
            `Waits for the first call${target ? ` at ${target.name}` : ''}`
          )
        }
      >
        {target ? <Clients org={organization.slug} server={target.slug} /> : null}
      </Step>
    </ol>
  );
}

/** The ways to a first server, with what keeps one from working here. */
function NewServer({ view: { hosting, refusesPrivateTargets, builtin } }: { readonly view: FirstServers }) {
  return (
    <div className="flex flex-col gap-3 pb-2">
      <p className="text-soft">
        A server that runs elsewhere, or one that Signalbox builds and runs. Clients reach both at one address, and a
        policy decides who may use which tool.
      </p>
      <div className="flex flex-wrap gap-2">
        <Link to="/servers/new" search={{ kind: 'external' }} className={buttonClass()}>
          New external server
        </Link>
        {hosting === null ? (
          <Link to="/servers/new" search={{ kind: 'hosted' }} className={buttonClass()}>
            New hosted server
          </Link>
        ) : null}
      </div>
      {hosting === null ? null : (
        <p className="text-soft">
          This server hosts no MCP servers: hosting is {hosting.replace(/\.$/, '')}. An operator can install bubblewrap,
          or set SIGNALBOX_HOSTING.
        </p>
      )}
      {refusesPrivateTargets ? (
        <p className="text-soft">
          Connections to private addresses are refused, except to those that SIGNALBOX_ALLOWED_PRIVATE_NETWORKS lists.
        </p>
      ) : null}
      {builtin ? (
        <p className="text-soft">
          The workspace has a server of its own already:{' '}
          <Link to="/servers/$server" params={{ server: builtin.slug }} className="text-accent underline">
            {builtin.name}
          </Link>{' '}
          gives agents its flows, runs and logs.
        </p>
      ) : null}
    </div>
  );
}

function Clients({ org, server }: { readonly org: string; readonly server: string }) {
  const query = useQuery(entryQuery(org, server));
  const [secret, setSecret] = useState<string>();
  const { data: entry } = query;
  if (!entry) return <Unread of={query} rows={4} />;
  return (
    <>
      {entry.authentication === 'none' ? null : (
        <KeyOffer descriptor={`MCP client of ${server}`} secret={secret} onCreated={setSecret} />
      )}
      <ClientSnippets clients={entry.clients} secret={secret} />
    </>
  );
}
