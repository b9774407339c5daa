/** Name, connection and limits of a server, and its deletion. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { type Action, useAction } from '../components/use-action.ts';
import { changeServer, deleteServer } from './actions.ts';
import { ConnectionFields } from './connection-fields.tsx';
import { connectionFormOf, credentialOf, emptyConnection, keepsCredential, withoutSecrets } from './connection-form.ts';
import { Field } from './field.tsx';
import { HostedFields } from './hosted-fields.tsx';
import { PersonalCredentialFields, personalCredentialOf, personalFormOf } from './personal-credential-fields.tsx';
import type { Server, ServerPath } from './queries.ts';
import type { TabProps } from './tab-props.ts';

export function SettingsTab({ organization, view }: TabProps) {
  const { server } = view;
  const path = { org: organization.slug, server: server.slug };
  return (
    <div className="flex max-w-180 flex-col gap-10">
      <Names server={server} path={path} />
      {server.external ? <Connection server={server} path={path} /> : null}
      {server.hosted ? <Hosted server={server} path={path} /> : null}
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

function useSave(path: ServerPath): Action & { save: (body: Parameters<typeof changeServer>[1]) => Promise<void> } {
  const navigate = useNavigate({ from: '/servers/$server' });
  const action = useAction();
  return {
    ...action,
    save: async (body) => {
      await action.run(async () => {
        const { slug } = await changeServer(path, body);
        await invalidate('/organizations/{org}/views/servers/{server}');
        if (slug !== path.server) await navigate({ params: { server: slug }, search: { tab: 'settings' } });
      });
    },
  };
}

function Names({ server, path }: PartProps) {
  const [name, setName] = useState(server.name);
  const [slug, setSlug] = useState(server.slug);
  const [description, setDescription] = useState(server.description);
  const { isBusy, fields, problem, save } = useSave(path);
  const isChanged = name !== server.name || slug !== server.slug || description !== server.description;
  return (
    <Section title="Name">
      <div className="flex flex-col gap-4 border-t border-line pt-3">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field title="Name" error={fields.get('name')}>
            <input className="field" value={name} onChange={(event) => setName(event.target.value)} />
          </Field>
          <Field
            title="Slug"
            error={fields.get('slug')}
            hint={slug === server.slug ? undefined : 'The address of the server changes: clients need the new one.'}
          >
            <input
              className="field font-mono text-xs"
              value={slug}
              spellCheck={false}
              onChange={(event) => setSlug(event.target.value)}
            />
          </Field>
        </div>
        <Field title="Description" error={fields.get('description')}>
          <input className="field" value={description} onChange={(event) => setDescription(event.target.value)} />
        </Field>
        <div>
          <Button disabled={!isChanged || isBusy} onClick={() => void save({ name, slug, description })}>
            Save the name
          </Button>
          {fields.size === 0 ? <ProblemNote text={problem} /> : null}
        </div>
      </div>
    </Section>
  );
}

function Connection({ server, path }: PartProps) {
  const [form, setForm] = useState(server.external ? connectionFormOf(server.external) : emptyConnection);
  const { isBusy, fields, problem, save } = useSave(path);
  const store = async () => {
    await save({
      external: {
        url: form.url,
        ...(keepsCredential(form, server.external) ? {} : { credential: credentialOf(form) }),
      },
    });
    setForm(withoutSecrets);
  };
  return (
    <Section title="Connection">
      <div className="flex flex-col gap-4 border-t border-line pt-3">
        <ConnectionFields org={path.org} form={form} onChange={setForm} errors={fields} stored={server} />
        <div>
          <Button disabled={isBusy} onClick={() => void store()}>
            {isBusy ? 'Asking the server' : 'Save the connection'}
          </Button>
          {fields.size === 0 ? <ProblemNote text={problem} /> : null}
        </div>
      </div>
    </Section>
  );
}

function Accounts({ server, path }: PartProps) {
  const [form, setForm] = useState(personalFormOf(server.personalCredential));
  const { isBusy, fields, problem, save } = useSave(path);
  const isChanged = JSON.stringify(form) !== JSON.stringify(personalFormOf(server.personalCredential));
  const store = async () => {
    await save({ personalCredential: personalCredentialOf(form) });
    setForm((old) => ({ ...old, clientSecret: '' }));
  };
  return (
    <Section title="Accounts of people">
      <div className="flex flex-col gap-4 border-t border-line pt-3">
        <PersonalCredentialFields form={form} onChange={setForm} errors={fields} isHosted={server.kind === 'hosted'} />
        <div>
          <Button disabled={!isChanged || isBusy} onClick={() => void store()}>
            Save the accounts
          </Button>
          {fields.size === 0 ? <ProblemNote text={problem} /> : null}
        </div>
      </div>
    </Section>
  );
}

function Hosted({ server, path }: PartProps) {
  const [form, setForm] = useState(server.hosted);
  const { isBusy, fields, problem, save } = useSave(path);
  if (!form) return null;
  const isChanged = JSON.stringify(form) !== JSON.stringify(server.hosted);
  return (
    <Section title="Program" aside="A change replaces programs that run">
      <div className="flex flex-col gap-4 border-t border-line pt-3">
        <HostedFields form={form} onChange={setForm} errors={fields} />
        <div>
          <Button disabled={!isChanged || isBusy} onClick={() => void save({ hosted: form })}>
            Save the program
          </Button>
          {fields.size === 0 ? <ProblemNote text={problem} /> : null}
        </div>
      </div>
    </Section>
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
