/** Makes or changes a workspace. */
import { FormDialog } from '../components/form/form-dialog.tsx';
import { ChoiceField, TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import { createWorkspace, defaultRoles, type Role, updateWorkspace, type Workspace } from './queries.ts';
import { slugOf } from './slug.ts';

interface Props {
  readonly org: string;
  /** Undefined for a new one. */
  readonly workspace: Workspace | undefined;
  /** `id` of the new or changed workspace. */
  readonly onSaved: (id: string) => void;
  readonly onClose: () => void;
}

export function WorkspaceDialog({ org, workspace, onSaved, onClose }: Props) {
  const typed = useForm({
    name: workspace?.name ?? '',
    handle: workspace?.handle,
    description: workspace?.description ?? '',
    defaultRole: (workspace?.defaultRole ?? 'none') as Role | 'none',
  });
  const { name, handle = slugOf(name), defaultRole } = typed.values;
  const form = { ...typed, values: { ...typed.values, handle } };
  const save = async () => {
    const given = { ...form.values, name: name.trim(), defaultRole: defaultRole === 'none' ? null : defaultRole };
    if (workspace) await updateWorkspace(org, workspace.id, given);
    onSaved(workspace?.id ?? (await createWorkspace(org, given)).id);
  };
  return (
    <FormDialog
      title={workspace ? `Edit ${workspace.name}` : 'New workspace'}
      action={workspace ? 'Save' : 'Create workspace'}
      form={form}
      isReady={name.trim() !== '' && handle !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField of={form} name="name" label="Name" maxLength={200} />
      <TextField
        of={form}
        name="handle"
        label="Handle"
        isMono
        maxLength={60}
        hint="Lower-case letters, digits and single dashes."
      />
      <TextField of={form} name="description" label="Description" maxLength={2000} />
      <ChoiceField
        of={form}
        name="defaultRole"
        label="Default role"
        choices={defaultRoles}
        hint="What members of the organization may do here without a grant."
      />
    </FormDialog>
  );
}
