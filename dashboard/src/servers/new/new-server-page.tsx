/** Adds a server: an external one, one that Signalbox builds and runs, or one that combines others. */

import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Organization } from '../../api/access.ts';
import { invalidate } from '../../api/read.ts';
import { ChoiceField, FormSection, TextField } from '../../components/form/form-fields.tsx';
import { type Part, partOf, useForm } from '../../components/form/use-form.ts';
import { PageHead, Section } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Empty } from '../../components/states-of-loading.tsx';
import { InOrganization } from '../../organizations/in-organization.tsx';
import { slugOf } from '../../workspaces/slug.ts';
import { createServer } from '../actions.ts';
import { buildOf, emptySource } from '../hosting/build-source.ts';
import { sendArchive, startBuild } from '../hosting/hosted-queries.ts';
import { SourceFields } from '../hosting/source-fields.tsx';
import { DefaultRole } from '../policy/default-role.tsx';
import type { Role } from '../queries.ts';
import { ConnectionFields } from './connection-fields.tsx';
import { credentialOf, emptyConnection } from './connection-form.ts';
import { transports } from './hosted-fields.tsx';
import { ImportForm } from './import-form.tsx';
import { SendRow } from './send-row.tsx';

const route = getRouteApi('/servers/new');

/** The first tab after adding a server; undefined for the overview. */
const firstTab = { external: undefined, hosted: 'builds', remix: 'choices' } as const;

export function NewServerPage() {
  return (
    <InOrganization title="New server">
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
      <PageHead title="New server" trail={[['MCP servers', { to: '/servers' }]]} />
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

type Values = ReturnType<typeof emptyServer>;

/** The parts of the form have the names of the request, so that its problems find their fields. */
const emptyServer = () => ({
  name: '',
  /** Undefined while it follows the name. */
  typedSlug: undefined as string | undefined,
  description: '',
  defaultRole: '' as Role | '',
  external: emptyConnection,
  hosted: { transport: 'http' as 'http' | 'stdio' },
  source: emptySource,
  file: undefined as File | undefined,
});

const slugIn = ({ name, typedSlug }: Values) => typedSlug ?? slugOf(name);

/** The values of the form, and what creates the server from them. */
function useNewServer({ organization: { slug: org }, kind }: FormProps) {
  const navigate = useNavigate({ from: '/servers/new' });
  const form = useForm(emptyServer, 'stacked', ['external', 'hosted', 'source']);
  const [created, setCreated] = useState<string>();
  const { values } = form;
  const { name, description, defaultRole, external, hosted, source, file } = values;
  const slug = slugIn(values);
  const path = { org, server: slug };
  const create = async () => {
    // If only the first build was refused, the server already exists.
    if (created !== slug) {
      await createServer(org, {
        slug,
        name,
        description,
        defaultRole: defaultRole || null,
        kind,
        ...(kind === 'external' ? { external: { url: external.url, credential: credentialOf(external) } } : {}),
        ...(kind === 'hosted' ? { hosted } : {}),
        ...(kind === 'remix' ? { remix: { sources: [] } } : {}),
      });
      setCreated(slug);
    }
    if (kind === 'hosted') {
      const upload = source.kind === 'archive' && file ? await sendArchive(path, file) : undefined;
      await startBuild(path, buildOf(source, true, upload));
    }
    await invalidate('/organizations/{org}/views/servers');
    void navigate({ to: '/servers/$server', params: { server: slug }, search: { tab: firstTab[kind] } });
  };
  return { form, slug, create, isCreated: created === slug };
}

function Form(props: FormProps) {
  const { organization, kind } = props;
  const { form, slug, create, isCreated } = useNewServer(props);
  const lack = lackOf(form.values, kind);
  return (
    <form
      className="flex flex-col gap-8"
      onSubmit={(event) => {
        event.preventDefault();
        void form.send(create);
      }}
    >
      <FormSection title="Name">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField of={form} name="name" label="Name" />
          <TextField
            of={{ ...form, values: { slug }, set: ({ slug: typedSlug }) => form.set({ typedSlug }) }}
            name="slug"
            label="Slug"
            isMono
            hint={`Clients connect to /servers/${organization.slug}/${slug || '…'}/mcp`}
          />
        </div>
        <TextField of={form} name="description" label="Description" />
      </FormSection>
      <FormSection title={kind === 'external' ? 'Connection' : kind === 'hosted' ? 'Source' : 'Capabilities'}>
        {kind === 'remix' ? <p className="text-soft">You choose them on the page of the server.</p> : null}
        {kind === 'external' ? (
          <ConnectionFields org={organization.slug} of={partOf(form, 'external')} stored={null} />
        ) : null}
        {kind === 'hosted' ? <Program form={form} /> : null}
      </FormSection>
      <Section title="Access">
        <div className="border-t border-line pt-3">
          <DefaultRole of={form} />
        </div>
      </Section>
      <SendRow
        label={form.isBusy ? 'Creating it' : kind === 'hosted' ? 'Create and build' : 'Create server'}
        isBusy={form.isBusy}
        lack={lack}
      />
      <ProblemNote text={form.problems.size > 0 ? 'Some fields are not right yet: see above.' : form.problem} />
      {isCreated && (form.problem || form.problems.size > 0) ? (
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

function Program({ form }: { readonly form: Part<Values> }) {
  const source = {
    ...partOf(form, 'source'),
    problems: form.problems,
    set: (part: Partial<Values['source']>) =>
      form.set({
        source: { ...form.values.source, ...part },
        // Nearly all published servers use it.
        ...(part.kind === 'package' ? { hosted: { transport: 'stdio' } } : {}),
      }),
  };
  return (
    <>
      <SourceFields of={source} onFile={(file) => form.set({ file })} />
      <ChoiceField
        of={partOf(form, 'hosted')}
        name="transport"
        label="The program speaks"
        choices={transports}
        className="w-64"
      />
    </>
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

/** The reason why the form cannot be sent yet. */
function lackOf(values: Values, kind: FormProps['kind']): string | undefined {
  const { name, external, source, file } = values;
  if (name.trim() === '') return 'It needs a name';
  if (slugIn(values) === '') return 'It needs a slug';
  if (kind === 'external') return external.url === '' ? 'It needs a URL' : undefined;
  return kind === 'hosted' && source.kind === 'archive' && !file ? 'Choose an archive' : undefined;
}
