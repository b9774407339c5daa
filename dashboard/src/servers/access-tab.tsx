/** The access to the server: the default role of members, and the roles of people and service accounts. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidate } from '../api/read.ts';
import { OpenRequests } from '../catalog/requests-list.tsx';
import { Button } from '../components/button.tsx';
import { Confirm } from '../components/dialog.tsx';
import { Moment } from '../components/moment.tsx';
import { Section } from '../components/page.tsx';
import { ProblemNote } from '../components/problem-note.tsx';
import { Failed, Skeleton } from '../components/states-of-loading.tsx';
import { useAction } from '../components/use-action.ts';
import { changeServer, removeGrant, setGrant } from './actions.ts';
import { ConnectedAccounts } from './connected-accounts.tsx';
import { Field } from './field.tsx';
import { actorsQuery, type Grant, grantsQuery, type Role, type Server } from './queries.ts';
import type { TabProps } from './tab-props.ts';

const roles = ['viewer', 'editor', 'admin'] as const;

export function AccessTab({ organization, view }: TabProps) {
  const { server } = view;
  const path = { org: organization.slug, server: server.slug };
  return (
    <div className="grid items-start gap-10 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <Rules key={server.updatedAt} server={server} path={path} />
      <div className="flex flex-col gap-8">
        <OpenRequests org={organization.slug} server={server.id} />
        <Grants path={path} organization={organization} server={server} />
        {server.personalCredential ? <ConnectedAccounts path={path} /> : null}
      </div>
    </div>
  );
}

interface RulesProps {
  readonly server: Server;
  readonly path: { readonly org: string; readonly server: string };
}

function Rules({ server, path }: RulesProps) {
  const { visibility, defaultRole, deniedAs, authentication, kind } = server;
  const [draft, setDraft] = useState({ visibility, defaultRole, deniedAs, authentication });
  const action = useAction();
  const isChanged = (Object.keys(draft) as (keyof typeof draft)[]).some((key) => draft[key] !== server[key]);
  const save = () =>
    action.run(async () => {
      await changeServer(path, draft);
      await invalidate(
        '/organizations/{org}/views/servers/{server}',
        '/organizations/{org}/servers/{server}/policy/preview',
      );
    });
  return (
    <Section title="Members of the organization">
      <div className="flex flex-col gap-4 border-t border-line pt-3">
        <Field
          title="Role without a grant"
          hint={
            kind === 'builtin'
              ? 'A role lets a caller reach the server. What the caller may do there follows from the role in the workspace.'
              : 'A grant wins over it, also when its role is lower. Administrators of the organization are always admin.'
          }
        >
          <select
            className="field w-64"
            value={draft.defaultRole ?? ''}
            onChange={(event) => setDraft({ ...draft, defaultRole: (event.target.value || null) as Role | null })}
          >
            <option value="">none: only callers with a grant</option>
            <option value="viewer">viewer: uses it</option>
            <option value="editor">editor: also changes and deploys it</option>
            <option value="admin">admin: also grants roles</option>
          </select>
        </Field>
        <Field title="Others see" hint="Others are people without a role on it.">
          <select
            className="field w-64"
            value={draft.visibility}
            onChange={(event) => setDraft({ ...draft, visibility: event.target.value as Server['visibility'] })}
          >
            <option value="discoverable">that it exists</option>
            <option value="concealed">nothing: it answers 404</option>
          </select>
        </Field>
        <Field title="Answer to a call that the policy denies">
          <select
            className="field w-64"
            value={draft.deniedAs}
            onChange={(event) => setDraft({ ...draft, deniedAs: event.target.value as Server['deniedAs'] })}
          >
            <option value="forbidden">forbidden: 403, one text for all names</option>
            <option value="unknown">unknown: as a name that does not exist</option>
          </select>
        </Field>
        <Field
          title="Callers are authenticated by"
          hint={
            draft.authentication === 'none' ? 'Requests pass without a key, a role or a policy of this platform.' : null
          }
        >
          <select
            className="field w-64"
            value={draft.authentication}
            onChange={(event) => setDraft({ ...draft, authentication: event.target.value as Server['authentication'] })}
          >
            <option value="platform">a key, or sign-in with the browser</option>
            <option value="keys">a key</option>
            {kind === 'hosted' ? <option value="none">the server itself</option> : null}
          </select>
        </Field>
        <div>
          <Button kind="primary" disabled={!isChanged || action.isBusy} onClick={save}>
            Save access
          </Button>
          <ProblemNote text={action.problem} />
        </div>
      </div>
    </Section>
  );
}

interface GrantsProps extends RulesProps {
  readonly organization: TabProps['organization'];
}

function Grants({ path, organization, server }: GrantsProps) {
  const grants = useQuery(grantsQuery(path));
  const { data: actors = [] } = useQuery(actorsQuery(organization.slug, organization.role === 'admin'));
  const [chosen, setChosen] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [asked, setAsked] = useState<Grant>();
  const action = useAction();
  const reread = () =>
    invalidate('/organizations/{org}/servers/{server}/grants', '/organizations/{org}/servers/{server}/policy/preview');
  const grant = (actorId: string, given: Role) =>
    action.run(async () => {
      await setGrant(path, actorId, given);
      await reread();
      setChosen('');
    });
  const items = grants.data?.items ?? [];
  const free = actors.filter(({ id }) => !items.some(({ actorId }) => actorId === id));
  return (
    <Section title="Grants" aside={items.length > 0 ? items.length : undefined}>
      {grants.isPending ? (
        <Skeleton rows={4} />
      ) : !grants.data ? (
        <Failed error={grants.error} retry={() => void grants.refetch()} />
      ) : (
        <ul className="border-t border-line" aria-label="Grants">
          {items.length === 0 ? (
            <li className="ruled py-2 text-soft">
              There are no grants.{' '}
              {server.defaultRole ? `Members are ${server.defaultRole}s.` : 'Only administrators may use the server.'}
            </li>
          ) : null}
          {items.map((one) => (
            <li key={one.actorId} className="ruled flex min-h-9 flex-wrap items-center gap-3">
              <span className="min-w-0 flex-1 truncate">
                {one.actorName}
                <span className="ml-2 text-xs text-quiet">{one.actorType === 'user' ? '' : 'service account'}</span>
              </span>
              <span className="text-xs text-quiet">
                <Moment time={one.updatedAt} />
              </span>
              <RoleSelect
                label={`Role of ${one.actorName}`}
                value={one.role}
                onChange={(given) => void grant(one.actorId, given)}
              />
              <Button kind="quiet" onClick={() => setAsked(one)}>
                Remove
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-center gap-2 pt-3">
        <select
          aria-label="Person or service account"
          className="field w-64"
          value={chosen}
          onChange={(event) => setChosen(event.target.value)}
        >
          <option value="">Choose who</option>
          {free.map(({ id, name, kind }) => (
            <option key={id} value={id}>
              {kind === 'person' ? name : `${name} (${kind})`}
            </option>
          ))}
        </select>
        <RoleSelect label="Role" value={role} onChange={setRole} />
        <Button
          disabled={chosen === '' || action.isBusy}
          title={chosen === '' ? 'Choose a person or a service account first' : undefined}
          onClick={() => void grant(chosen, role)}
        >
          Grant
        </Button>
      </div>
      <ProblemNote text={action.problem} />
      <Confirm
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        question={`Remove the grant of ${asked?.actorName ?? ''}?`}
        action="Remove grant"
        onConfirm={async () => {
          if (asked) await removeGrant(path, asked.actorId);
          await reread();
        }}
      >
        {server.defaultRole
          ? `From the next request on, the role of members applies: ${server.defaultRole}.`
          : 'From the next request on, they have no access to the server. Their open streams end.'}
      </Confirm>
    </Section>
  );
}

interface RoleSelectProps {
  readonly label: string;
  readonly value: Role;
  readonly onChange: (role: Role) => void;
}

function RoleSelect({ label, value, onChange }: RoleSelectProps) {
  return (
    <select
      aria-label={label}
      className="field w-28"
      value={value}
      onChange={(event) => onChange(event.target.value as Role)}
    >
      {roles.map((role) => (
        <option key={role} value={role}>
          {role}
        </option>
      ))}
    </select>
  );
}
