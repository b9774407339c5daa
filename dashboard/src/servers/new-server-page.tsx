/** Adds a server: an external one, one that Signalbox builds and runs, or one that combines others. */

import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Organization } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button, buttonClass } from '../components/button.tsx';
import { PageHead, Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Empty } from '../components/states-of-loading.tsx';
import { useAction } from '../components/use-action.ts';
import { InOrganization } from '../organizations/in-organization.tsx';
import { slugOf } from '../workspaces/slug.ts';
import { createServer } from './actions.ts';
import { buildOf, emptySource } from './build-source.ts';
import { ConnectionFields } from './connection-fields.tsx';
import { credentialOf, emptyConnection } from './connection-form.ts';
import { DefaultRole } from './default-role.tsx';
import { Field } from './field.tsx';
import { sendArchive, startBuild } from './hosted-queries.ts';
import { ImportForm } from './import-form.tsx';
import type { Role } from './queries.ts';
import { SourceFields } from './source-fields.tsx';

const route = getRouteApi('/servers/new');

/** The first tab after adding a server; undefined for the overview. */
const firstTab = { external: undefined, hosted: 'builds', remix: 'choices' } as const;

export function NewServerPage() {
  return (
    <InOrganization title="Add a server">
      {(organization) =>
        organization.role === 'admin' ? (
          <Page organization={organization} />
        ) : (
          <Empty title="Only administrators of the organization add servers">
            <Link to="/servers" className="underline">
              Back to the servers
            </Link>
          </Empty>
        )
      }
    </InOrganization>
  );
}

function Page({ organization }: { readonly organization: Organization }) {
  const { kind = 'external' } = route.useSearch();
  return (
    <>
      <PageHead title="Add a server" trail={<Link to="/servers">MCP servers</Link>} />
      <div className="flex max-w-180 flex-col gap-8 px-6 max-sm:px-4">
        <fieldset className="grid gap-2 sm:grid-cols-2">
          <legend className="sr-only">Kind</legend>
          <Kind
            value="external"
            chosen={kind}
            title="It runs elsewhere"
            text="You know its URL. The gateway forwards to it."
          />
          <Kind
            value="hosted"
            chosen={kind}
            title="Signalbox runs it"
            text="From Git, npm, PyPI, an archive or this machine, in a sandbox."
          />
          <Kind
            value="remix"
            chosen={kind}
            title="It combines others"
            text="Chosen capabilities of several servers at one address."
          />
          <Kind
            value="import"
            chosen={kind}
            title="From a file"
            text="A server.json of the MCP registry, or the settings of an MCP client."
          />
        </fieldset>
        {kind === 'import' ? (
          <ImportForm organization={organization} />
        ) : (
          <Form organization={organization} kind={kind} />
        )}
      </div>
    </>
  );
}

interface FormProps {
  readonly organization: Organization;
  readonly kind: 'external' | 'hosted' | 'remix';
}

function Form({ organization, kind }: FormProps) {
  const navigate = useNavigate({ from: '/servers/new' });
  const [name, setName] = useState('');
  const [typedSlug, setSlug] = useState<string>();
  const [description, setDescription] = useState('');
  const [defaultRole, setDefaultRole] = useState<Role | null>(null);
  const [transport, setTransport] = useState<'http' | 'stdio'>('http');
  const [connection, setConnection] = useState(emptyConnection);
  const [source, setSource] = useState(emptySource);
  const [file, setFile] = useState<File>();
  const [created, setCreated] = useState<string>();
  const action = useAction();
  const changeSource = (next: typeof source) => {
    // Nearly all published servers use it.
    if (next.kind === 'package' && source.kind !== 'package') setTransport('stdio');
    setSource(next);
  };
  const slug = typedSlug ?? slugOf(name);
  const path = { org: organization.slug, server: slug };
  const lacks = problemOf({ name, slug, kind, url: connection.url, needsFile: source.kind === 'archive' && !file });
  const create = () =>
    action.run(async () => {
      // If only the first build was refused, the server already exists.
      if (created !== slug) {
        await createServer(organization.slug, {
          slug,
          name,
          description,
          defaultRole,
          kind,
          ...(kind === 'external' ? { external: { url: connection.url, credential: credentialOf(connection) } } : {}),
          ...(kind === 'hosted' ? { hosted: { transport } } : {}),
          ...(kind === 'remix' ? { remix: { sources: [] } } : {}),
        });
        setCreated(slug);
      }
      if (kind === 'hosted') {
        const upload = source.kind === 'archive' && file ? await sendArchive(path, file) : undefined;
        await startBuild(path, buildOf(source, true, upload));
      }
      await invalidate('/organizations/{org}/views/servers');
      void navigate({
        to: '/servers/$server',
        params: { server: slug },
        search: { tab: firstTab[kind] },
      });
    });
  return (
    <form
      className="flex flex-col gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <Section title="Name">
        <div className="flex flex-col gap-4 border-t border-line pt-3">
          <div className="grid gap-4 sm:grid-cols-2">
            <Field title="Name" error={action.fields.get('name')}>
              <input
                className="field"
                value={name}
                autoComplete="off"
                onChange={(event) => setName(event.target.value)}
              />
            </Field>
            <Field
              title="Slug"
              error={action.fields.get('slug')}
              hint={`Clients connect to /servers/${organization.slug}/${slug || '…'}/mcp`}
            >
              <input
                className="field font-mono text-xs"
                value={slug}
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => setSlug(event.target.value)}
              />
            </Field>
          </div>
          <Field title="Description" error={action.fields.get('description')}>
            <input className="field" value={description} onChange={(event) => setDescription(event.target.value)} />
          </Field>
        </div>
      </Section>
      <Section title={kind === 'external' ? 'Connection' : kind === 'hosted' ? 'Source' : 'Capabilities'}>
        <div className="flex flex-col gap-4 border-t border-line pt-3">
          {kind === 'remix' ? <p className="text-soft">You choose them on the page of the server.</p> : null}
          {kind === 'external' ? (
            <ConnectionFields
              org={organization.slug}
              form={connection}
              onChange={setConnection}
              errors={action.fields}
              stored={null}
            />
          ) : null}
          {kind === 'hosted' ? (
            <>
              <SourceFields form={source} onChange={changeSource} onFile={setFile} errors={action.fields} />
              <Field title="The program speaks" error={action.fields.get('hosted.transport')}>
                <select
                  className="field w-64"
                  value={transport}
                  onChange={(event) => setTransport(event.target.value as 'http' | 'stdio')}
                >
                  <option value="http">HTTP, on the port that it is given</option>
                  <option value="stdio">standard input and output</option>
                </select>
              </Field>
            </>
          ) : null}
        </div>
      </Section>
      <Section title="Access">
        <div className="border-t border-line pt-3">
          <DefaultRole value={defaultRole} onChange={setDefaultRole} />
        </div>
      </Section>
      <div className="flex flex-wrap items-center gap-3">
        <Button kind="primary" type="submit" disabled={action.isBusy || lacks !== undefined} title={lacks}>
          {action.isBusy ? 'Adding it' : kind === 'hosted' ? 'Add and build it' : 'Add the server'}
        </Button>
        <Link to="/servers" className={buttonClass('quiet')}>
          Cancel
        </Link>
        {lacks ? <span className="text-xs text-quiet">{lacks}.</span> : null}
      </div>
      {action.problem && action.fields.size === 0 ? <ProblemNote text={action.problem} /> : null}
      {action.fields.size > 0 ? <ProblemNote text="Some fields are not right yet: see above." /> : null}
      {created === slug && action.problem ? (
        <p className="text-soft">
          The server was added, its build was not started.{' '}
          <Link to="/servers/$server" params={{ server: slug }} className="underline">
            Open its page
          </Link>
        </p>
      ) : null}
    </form>
  );
}

interface KindProps {
  readonly value: 'external' | 'hosted' | 'remix' | 'import';
  readonly chosen: string;
  readonly title: string;
  readonly text: string;
}

function Kind({ value, chosen, title, text }: KindProps) {
  const navigate = useNavigate({ from: '/servers/new' });
  return (
    <label className="flex items-start gap-2.5 rounded-panel border border-line bg-surface p-3 has-checked:border-ink has-focus-visible:outline-2">
      <input
        type="radio"
        name="kind"
        className="mt-1"
        checked={value === chosen}
        onChange={() => void navigate({ search: { kind: value }, replace: true })}
      />
      <span>
        <span className="block font-medium">{title}</span>
        <span className="block text-soft">{text}</span>
      </span>
    </label>
  );
}

interface Given {
  readonly name: string;
  readonly slug: string;
  readonly kind: string;
  readonly url: string;
  readonly needsFile: boolean;
}

function problemOf({ name, slug, kind, url, needsFile }: Given): string | undefined {
  if (name.trim() === '') return 'It needs a name';
  if (slug === '') return 'It needs a slug';
  if (kind === 'external') return url === '' ? 'It needs a URL' : undefined;
  return kind === 'hosted' && needsFile ? 'Choose an archive' : undefined;
}
