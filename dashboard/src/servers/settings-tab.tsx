/** Name, connection and limits of a server, and its deletion. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { FormSection, SaveButton, TextField } from '../components/form/form-fields.tsx';
import { partOf, useForm } from '../components/form/use-form.ts';
import { Section } from '../components/page.tsx';
import { changeServer, deleteServer } from './actions.ts';
import { ConnectionFields } from './new/connection-fields.tsx';
import {
  connectionFormOf,
  credentialOf,
  emptyConnection,
  keepsCredential,
  withoutSecrets,
} from './new/connection-form.ts';
import { type Hosted, HostedFields } from './new/hosted-fields.tsx';
import { PersonalCredentialFields, personalCredentialOf, personalFormOf } from './new/personal-credential-fields.tsx';
import type { Server, ServerPath } from './queries.ts';
import type { TabProps } from './tab-props.ts';

export function SettingsTab({ organization, view }: TabProps) {
  const { server } = view;
  const path = { org: organization.slug, server: server.slug };
  return (
    <div className="flex max-w-180 flex-col gap-10">
      <Names server={server} path={path} />
      {server.external ? <Connection server={server} path={path} /> : null}
      {server.hosted ? <Program path={path} stored={server.hosted as Hosted} /> : null}
      {server.kind === 'remix' || server.kind === 'builtin' ? null : <Accounts server={server} path={path} />}
      {server.role === 'admin' && server.kind !== 'builtin' ? (
        <Delete server={server} path={path} requests={view.figures?.requests ?? 0} />
      ) : null}
    </div>
  );
}

interface PartProps {
  readonly server: Server;
  readonly path: ServerPath;
}

/** Changes the server, and follows it to a new address. */
function useSave(path: ServerPath) {
  const navigate = useNavigate({ from: '/servers/$server' });
  return async (body: Parameters<typeof changeServer>[1]) => {
    const { slug } = await changeServer(path, body);
    await invalidate('/organizations/{org}/views/servers/{server}');
    if (slug !== path.server) await navigate({ params: { server: slug }, search: { tab: 'settings' } });
  };
}

function Names({ server, path }: PartProps) {
  const { name, slug, description } = server;
  const form = useForm({ name, slug, description });
  const save = useSave(path);
  return (
    <FormSection title="Name">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField of={form} name="name" label="Name" />
        <TextField
          of={form}
          name="slug"
          label="Slug"
          isMono
          hint={form.values.slug === slug ? undefined : 'The address of the server changes: clients need the new one.'}
        />
      </div>
      <TextField of={form} name="description" label="Description" />
      <SaveButton
        of={form}
        isChanged={isOther(form.values, { name, slug, description })}
        onSave={() => save(form.values)}
      >
        Save the name
      </SaveButton>
    </FormSection>
  );
}

function isOther(values: object, stored: object): boolean {
  return JSON.stringify(values) !== JSON.stringify(stored);
}

function Connection({ server, path }: PartProps) {
  const form = useForm({ external: server.external ? connectionFormOf(server.external) : emptyConnection }, 'stacked', [
    'external',
  ]);
  const { external: values } = form.values;
  const save = useSave(path);
  const store = async () => {
    const credential = keepsCredential(values, server.external) ? {} : { credential: credentialOf(values) };
    await save({ external: { url: values.url, ...credential } });
    form.set({ external: withoutSecrets(values) });
  };
  return (
    <FormSection title="Connection">
      <ConnectionFields org={path.org} of={partOf(form, 'external')} stored={server} />
      <SaveButton of={form} busy="Asking the server" onSave={store}>
        Save the connection
      </SaveButton>
    </FormSection>
  );
}

function Accounts({ server, path }: PartProps) {
  const stored = personalFormOf(server.personalCredential);
  const form = useForm({ personalCredential: stored }, 'stacked', ['personalCredential']);
  const { personalCredential } = form.values;
  const save = useSave(path);
  const store = async () => {
    await save({ personalCredential: personalCredentialOf(personalCredential) });
    form.set({ personalCredential: { ...personalCredential, clientSecret: '' } });
  };
  return (
    <FormSection title="Accounts of people">
      <PersonalCredentialFields of={partOf(form, 'personalCredential')} isHosted={server.kind === 'hosted'} />
      <SaveButton of={form} isChanged={isOther(personalCredential, stored)} onSave={store}>
        Save the accounts
      </SaveButton>
    </FormSection>
  );
}

function Program({ path, stored }: Pick<PartProps, 'path'> & { readonly stored: Hosted }) {
  const form = useForm({ hosted: stored }, 'stacked', ['hosted']);
  const { hosted } = form.values;
  const save = useSave(path);
  return (
    <FormSection title="Program" aside="A change replaces programs that run">
      <HostedFields of={partOf(form, 'hosted')} />
      <SaveButton of={form} isChanged={isOther(hosted, stored)} onSave={() => save({ hosted })}>
        Save the program
      </SaveButton>
    </FormSection>
  );
}

function Delete({ server, path, requests }: PartProps & { readonly requests: number }) {
  const [isAsking, setAsking] = useState(false);
  const navigate = useNavigate();
  return (
    <Section title="Delete">
      <div className="border-t border-line pt-3">
        <Button kind="danger" onClick={() => setAsking(true)}>
          Delete the server
        </Button>
      </div>
      <Confirm
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        question={`Delete ${server.name}?`}
        action="Delete the server"
        name={server.slug}
        onConfirm={async () => {
          await deleteServer(path);
          await invalidate('/organizations/{org}/views/servers');
          await navigate({ to: '/servers' });
        }}
      >
        Its address answers 404 from the next request on: {requests.toLocaleString('en')} requests came in the last 24
        hours. Its grants, policy, {server.kind === 'hosted' ? 'builds, variables and output' : 'credential'} and
        records are lost. This cannot be undone.
      </Confirm>
    </Section>
  );
}
