/** The access to the server: the default role of members, and the roles of people and service accounts. */

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidate } from '../../api/read.ts';
import { OpenRequests } from '../../catalog/requests-list.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Choice } from '../../components/form/form-dialog.tsx';
import { ChoiceField, FormSection, SaveButton } from '../../components/form/form-fields.tsx';
import { useForm } from '../../components/form/use-form.ts';
import { Section } from '../../components/page.tsx';
import { ProblemNote } from '../../components/problem-note.tsx';
import { Failed, Skeleton } from '../../components/states-of-loading.tsx';
import { Moment } from '../../components/text/moment.tsx';
import { useAction } from '../../components/use-action.ts';
import { changeServer, removeGrant, setGrant } from '../actions.ts';
import { actorsQuery, type Grant, grantsQuery, type Role, type Server } from '../queries.ts';
import type { TabProps } from '../tab-props.ts';
import { ConnectedAccounts } from './connected-accounts.tsx';

const roles = (['viewer', 'editor', 'admin'] as const).map((role) => [role, role] as const);

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

const defaultRoles = [
  ['', 'none: only callers with a grant'],
  ['viewer', 'viewer: uses it'],
  ['editor', 'editor: also changes and deploys it'],
  ['admin', 'admin: also grants roles'],
] as const;
const visibilities = [
  ['discoverable', 'that it exists'],
  ['concealed', 'nothing: it answers 404'],
] as const;
const denials = [
  ['forbidden', 'forbidden: 403, one text for all names'],
  ['unknown', 'unknown: as a name that does not exist'],
] as const;
const authentications = [
  ['platform', 'a key, or sign-in with the browser'],
  ['keys', 'a key'],
] as const;

function Rules({ server, path }: RulesProps) {
  const { visibility, deniedAs, authentication, kind } = server;
  const stored = { visibility, defaultRole: server.defaultRole ?? ('' as const), deniedAs, authentication };
  const form = useForm(stored);
  const { values } = form;
  const save = async () => {
    await changeServer(path, { ...values, defaultRole: values.defaultRole || null });
    await invalidate(
      '/organizations/{org}/views/servers/{server}',
      '/organizations/{org}/servers/{server}/policy/preview',
    );
  };
  return (
    <FormSection title="Members of the organization">
      <ChoiceField
        of={form}
        name="defaultRole"
        label="Role without a grant"
        choices={defaultRoles}
        className="w-80 max-w-full"
        hint={
          kind === 'builtin'
            ? 'A role lets a caller reach the server. What the caller may do there follows from the role in the workspace.'
            : 'A grant wins over it, also when its role is lower. Administrators of the organization are always admin.'
        }
      />
      <ChoiceField
        of={form}
        name="visibility"
        label="Others see"
        choices={visibilities}
        className="w-80 max-w-full"
        hint="Others are people without a role on it."
      />
      <ChoiceField
        of={form}
        name="deniedAs"
        label="Answer to a call that the policy denies"
        choices={denials}
        className="w-80 max-w-full"
      />
      <ChoiceField
        of={form}
        name="authentication"
        label="Callers are authenticated by"
        choices={kind === 'hosted' ? [...authentications, ['none', 'the server itself']] : authentications}
        className="w-80 max-w-full"
        hint={
          values.authentication === 'none'
            ? 'Requests pass without a key, a role or a policy of this platform.'
            : undefined
        }
      />
      <SaveButton of={form} kind="primary" isChanged={JSON.stringify(values) !== JSON.stringify(stored)} onSave={save}>
        Save access
      </SaveButton>
    </FormSection>
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
              <Choice
                label={`Role of ${one.actorName}`}
                className="w-28"
                choices={roles}
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
        <Choice
          label="Person or service account"
          className="w-80 max-w-full"
          value={chosen}
          choices={[
            ['', 'Choose who'],
            ...free.map(({ id, name, kind }) => [id, kind === 'person' ? name : `${name} (${kind})`] as const),
          ]}
          onChange={setChosen}
        />
        <Choice label="Role" className="w-28" choices={roles} value={role} onChange={setRole} />
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
