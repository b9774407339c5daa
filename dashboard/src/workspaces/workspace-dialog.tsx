/** Makes or changes a workspace. */
import { useState } from 'react';
import { Choice, Field, FormDialog } from '../components/form-dialog.tsx';
import {
  createWorkspace,
  defaultRoles,
  type Role,
  updateWorkspace,
  type Workspace,
  type WorkspaceForm,
} from './queries.ts';
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
  const [name, setName] = useState(workspace?.name ?? '');
  const [handle, setHandle] = useState(workspace?.handle);
  const [description, setDescription] = useState(workspace?.description ?? '');
  const [defaultRole, setDefaultRole] = useState<Role | 'none'>(workspace?.defaultRole ?? 'none');
  const shownHandle = handle ?? slugOf(name);
  const save = async () => {
    const form: WorkspaceForm = {
      name: name.trim(),
      handle: shownHandle,
      description,
      defaultRole: defaultRole === 'none' ? null : defaultRole,
    };
    if (workspace) await updateWorkspace(org, workspace.id, form);
    onSaved(workspace?.id ?? (await createWorkspace(org, form)).id);
  };
  return (
    <FormDialog
      title={workspace ? `Change ${workspace.name}` : 'New workspace'}
      action={workspace ? 'Save' : 'Create workspace'}
      isReady={name.trim() !== '' && shownHandle !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <Field label="Name">
        <input className="field" value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Handle" hint="Lower-case letters, digits and single dashes.">
        <input
          className="field font-mono"
          value={shownHandle}
          maxLength={60}
          spellCheck={false}
          onChange={(event) => setHandle(event.target.value)}
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
      <Field label="Default role" hint="What members of the organization may do here without a grant.">
        <Choice value={defaultRole} choices={defaultRoles} onChange={setDefaultRole} />
      </Field>
    </FormDialog>
  );
}
