/** Makes or changes a service account. A new one gets its first key, which is shown once. */
import { useState } from 'react';
import { Choice, Field, FormDialog } from '../components/form-dialog.tsx';
import { NewKeyDialog } from '../keys/create-key-dialog.tsx';
import {
  createServiceAccount,
  type OrganizationRole,
  organizationRoles,
  type ServiceAccount,
  updateServiceAccount,
} from './queries.ts';

interface Props {
  readonly org: string;
  readonly organizationId: string;
  /** Undefined for a new one. */
  readonly account: ServiceAccount | undefined;
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

export function ServiceAccountDialog({ org, organizationId, account, onSaved, onClose }: Props) {
  const [name, setName] = useState(account?.name ?? '');
  const [description, setDescription] = useState(account?.description ?? '');
  const [role, setRole] = useState<OrganizationRole>(account?.role ?? 'member');
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) {
    return <NewKeyDialog secret={secret} name={name.trim()} organizationId={organizationId} onClose={onClose} />;
  }
  const save = async () => {
    const form = { name: name.trim(), description, role };
    if (account) {
      await updateServiceAccount(org, account.id, form);
      onSaved();
      onClose();
    } else {
      const made = await createServiceAccount(org, form);
      onSaved();
      setSecret(made.secret);
    }
  };
  return (
    <FormDialog
      title={account ? `Change ${account.name}` : 'New service account'}
      action={account ? 'Save' : 'Create account and key'}
      isReady={name.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label="Name" hint="The program that it is for: ci, or nightly-report.">
        <input
          className="field"
          value={name}
          maxLength={200}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <Field label="Description">
        <input
          className="field"
          value={description}
          maxLength={2000}
          onChange={(event) => setDescription(event.target.value)}
        />
      </Field>
      <Field label="Role in the organization" hint="A member needs grants or default roles in workspaces and servers.">
        <Choice value={role} choices={organizationRoles} onChange={setRole} />
      </Field>
    </FormDialog>
  );
}
