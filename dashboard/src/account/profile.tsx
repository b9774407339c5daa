/** Name, address, password, and the organizations of the person. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccess } from '../api/access.ts';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { FormDialog } from '../components/form/form-dialog.tsx';
import { TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import { Facts, Section } from '../components/page.tsx';
import { Unread } from '../components/states-of-loading.tsx';
import { Moment } from '../components/text/moment.tsx';
import { changePassword, type OwnAccount, rename } from './queries.ts';

const MIN_PASSWORD_LENGTH = 12;

export function Profile({ query }: { readonly query: UseQueryResult<OwnAccount> }) {
  const organizations = useAccess()?.organizations ?? [];
  const [edited, setEdited] = useState<'name' | 'password'>();
  const { data: account } = query;
  if (!account) return <Unread of={query} rows={6} />;
  const { user, hasPassword } = account;
  return (
    <div className="flex max-w-160 flex-col gap-8">
      <Section title="Profile">
        <Facts
          className="grid grid-cols-2 gap-x-6 gap-y-3 max-sm:grid-cols-1"
          of={{
            Name: user.name ?? <span className="text-quiet">None</span>,
            Address: user.email,
            Password: hasPassword ? 'Set' : 'None: an identity provider signs you in',
            'Account since': <Moment time={user.createdAt} />,
          }}
        />
        <div className="mt-4 flex gap-2">
          <Button onClick={() => setEdited('name')}>Edit name</Button>
          {hasPassword ? <Button onClick={() => setEdited('password')}>Change password</Button> : null}
        </div>
      </Section>
      <Section title="Organizations">
        {organizations.length === 0 ? (
          <p className="text-soft">You are in no organization. Ask an administrator for an invitation.</p>
        ) : (
          <ul>
            {organizations.map(({ id, name, role, workspaces }) => (
              <li key={id} className="ruled flex min-h-(--row) flex-wrap items-center gap-x-3 py-1">
                <span className="font-medium">{name}</span>
                <span className="text-quiet">{role === 'admin' ? 'Administrator' : 'Member'}</span>
                <span className="ml-auto text-quiet">
                  {workspaces.map((workspace) => `${workspace.name} (${workspace.role})`).join(', ')}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
      {edited === 'name' ? <NameDialog name={user.name ?? ''} onClose={() => setEdited(undefined)} /> : null}
      {edited === 'password' ? <PasswordDialog email={user.email} onClose={() => setEdited(undefined)} /> : null}
    </div>
  );
}

function NameDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const form = useForm({ name });
  const save = async () => {
    await rename(form.values.name.trim());
    await invalidate('/me/account', '/me/access');
    onClose();
  };
  return (
    <FormDialog title="Edit name" action="Save" form={form} isReady onSubmit={save} onClose={onClose}>
      <TextField
        of={form}
        name="name"
        label="Name"
        maxLength={200}
        autoComplete="name"
        hint="Others see it beside your address."
      />
    </FormDialog>
  );
}

function PasswordDialog({ email, onClose }: { readonly email: string; readonly onClose: () => void }) {
  const form = useForm({ currentPassword: '', newPassword: '' });
  const { currentPassword, newPassword } = form.values;
  const save = async () => {
    await changePassword(currentPassword, newPassword);
    await invalidate('/me/account');
    onClose();
  };
  return (
    <FormDialog
      title="Change password"
      action="Change password"
      form={form}
      isReady={currentPassword !== '' && newPassword.length >= MIN_PASSWORD_LENGTH}
      onSubmit={save}
      onClose={onClose}
    >
      <p className="text-soft">Your other sessions end. Your keys stay as they are.</p>
      <input hidden readOnly autoComplete="username" value={email} />
      <TextField
        of={form}
        name="currentPassword"
        label="Current password"
        type="password"
        autoComplete="current-password"
      />
      <TextField
        of={form}
        name="newPassword"
        label="New password"
        type="password"
        autoComplete="new-password"
        hint={`At least ${MIN_PASSWORD_LENGTH} characters. Longer is stronger.`}
      />
    </FormDialog>
  );
}
