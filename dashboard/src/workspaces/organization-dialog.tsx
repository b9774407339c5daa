/** Creates an organization. The person who creates it becomes its first administrator. */
import { FormDialog } from '../components/form/form-dialog.tsx';
import { TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import { createOrganization } from './queries.ts';
import { slugOf } from './slug.ts';

interface Props {
  /** Called with the slug of the new organization. */
  readonly onSaved: (slug: string) => void;
  readonly onClose: () => void;
}

export function OrganizationDialog({ onSaved, onClose }: Props) {
  const typed = useForm({ name: '', slug: undefined as string | undefined });
  const { name, slug = slugOf(name) } = typed.values;
  const form = { ...typed, values: { name, slug } };
  return (
    <FormDialog
      title="New organization"
      action="Create organization"
      form={form}
      isReady={name.trim() !== '' && slug !== ''}
      onSubmit={async () => onSaved((await createOrganization(name.trim(), slug)).slug)}
      onClose={onClose}
    >
      <p className="text-soft">
        An organization has its own people, service accounts, workspaces and MCP servers. You become its administrator.
      </p>
      <TextField of={form} name="name" label="Name" maxLength={200} />
      <TextField
        of={form}
        name="slug"
        label="Slug"
        isMono
        maxLength={60}
        hint="It stands in the addresses of MCP servers."
      />
    </FormDialog>
  );
}
