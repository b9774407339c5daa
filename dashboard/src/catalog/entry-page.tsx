/** One server of the catalog: the capabilities that it offers to this person, and the ways in which clients connect. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileJson } from 'lucide-react';
import { platformPath } from '../api/workspace.ts';
import { buttonClass } from '../components/button.tsx';
import { Fact, PageHead, Section } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Copy } from '../components/text/copy.tsx';
import { shortened } from '../components/text/shortened.ts';
import { Some } from '../components/use-some.tsx';
import { InOrganization } from '../organizations/in-organization.tsx';
import { ConnectClient } from './connect-client.tsx';
import { type CatalogServer, entryQuery, kindName } from './queries.ts';
import { NoAccess } from './request-access.tsx';

const route = getRouteApi('/catalog/$server');

export function EntryPage() {
  return <InOrganization title="Catalog">{({ slug }) => <Entry org={slug} />}</InOrganization>;
}

function Entry({ org }: { readonly org: string }) {
  const { server: slug } = route.useParams();
  const query = useQuery(entryQuery(org, slug));
  const { data: entry } = query;
  if (!entry) return <Unread of={query} rows={10} isPage />;
  return (
    <>
      <PageHead
        title={entry.name}
        trail={[['Catalog', { to: '/catalog' }]]}
        actions={
          <>
            <a
              href={`${platformPath}/organizations/${org}/catalog/${entry.slug}/server.json`}
              download="server.json"
              title="The server in the format of the MCP registry"
              className={buttonClass()}
            >
              <FileJson size={14} />
              server.json
            </a>
            {entry.role === null ? null : (
              <Link to="/servers/$server" params={{ server: entry.slug }} className={buttonClass()}>
                Open the server
              </Link>
            )}
          </>
        }
      />
      <Facts entry={entry} />
      {entry.tools === null ? (
        <NoAccess org={org} server={entry.slug} />
      ) : (
        <div className="grid grid-cols-1 items-start gap-10 px-6 max-sm:px-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
          <ConnectClient server={entry} clients={entry.clients} />
          <Tools tools={entry.tools} />
        </div>
      )}
    </>
  );
}

function Facts({ entry }: { readonly entry: CatalogServer }) {
  const { authentication, signIn } = entry;
  return (
    <div className="px-6 pb-6 max-sm:px-4">
      {entry.description ? <p className="mb-2 max-w-180 break-words text-soft">{entry.description}</p> : null}
      <dl className="flex flex-wrap gap-x-8 gap-y-2 max-sm:grid max-sm:grid-cols-2">
        <div className="min-w-0 max-sm:col-span-2">
          <dt className="text-xs text-quiet">Address</dt>
          <dd className="flex items-center gap-1">
            <span className="truncate font-mono text-xs" title={entry.servingUrl}>
              {entry.servingUrl}
            </span>
            <Copy text={entry.servingUrl} what="address" />
          </dd>
        </div>
        <Fact name="Kind">{kindName(entry.kind)}</Fact>
        <Fact name="Owner">
          <span title={entry.owners.join(', ')}>{entry.owners.join(', ') || 'the organization'}</span>
        </Fact>
        <Fact name="Your role">{entry.role ?? 'none'}</Fact>
        <Fact name="Clients use">
          {authentication === 'none' ? 'what the server asks for' : signIn ? 'sign-in or a key' : 'a key'}
        </Fact>
      </dl>
    </div>
  );
}

function Tools({ tools }: { readonly tools: NonNullable<CatalogServer['tools']> }) {
  return (
    <Section title="Tools that you may use" aside={tools.length > 0 ? tools.length : undefined}>
      <ul aria-label="Tools" className="border-t border-line">
        {tools.length === 0 ? <li className="py-2 text-soft">The server offers you no tool.</li> : null}
        <Some of={tools} as="li">
          {({ name, title, description }) => (
            <li key={name} className="ruled py-1.5">
              <p className="break-words">
                <span className="font-mono text-xs">{name}</span>
                {title ? <span className="ml-2 text-soft">{shortened(title)}</span> : null}
              </p>
              {description ? (
                <p className="line-clamp-2 break-words text-xs text-soft" title={shortened(description)}>
                  {shortened(description)}
                </p>
              ) : null}
            </li>
          )}
        </Some>
      </ul>
    </Section>
  );
}
