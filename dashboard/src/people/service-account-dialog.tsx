/** Makes or changes a service account. A new one gets its first key, which is shown once. */
import { useState } from 'react';
import { FormDialog } from '../components/form/form-dialog.tsx';
import { ChoiceField, TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
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
  const form = useForm({
    name: account?.name ?? '',
    description: account?.description ?? '',
    role: account?.role ?? ('member' as OrganizationRole),
  });
  const name = form.values.name.trim();
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) {
    return <NewKeyDialog secret={secret} name={name} organizationId={organizationId} onClose={onClose} />;
  }
  const save = async () => {
    const given = { ...form.values, name };
    if (account) {
      await updateServiceAccount(org, account.id, given);
      onSaved();
      onClose();
    } else {
      const made = await createServiceAccount(org, given);
      onSaved();
      setSecret(made.secret);
    }
  };
  return (
    <FormDialog
      title={account ? `Edit ${account.name}` : 'New service account'}
      action={account ? 'Save' : 'Create account and key'}
      form={form}
      isReady={name !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        of={form}
        name="name"
        label="Name"
        maxLength={200}
        autoComplete="off"
        hint="The program that it is for: ci, or nightly-report."
      />
      <TextField of={form} name="description" label="Description" maxLength={2000} />
      <ChoiceField
        of={form}
        name="role"
        label="Role in the organization"
        choices={organizationRoles}
        hint="A member needs grants or default roles in workspaces and servers."
      />
    </FormDialog>
  );
}
