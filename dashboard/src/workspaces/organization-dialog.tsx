/** Creates an organization. The person who creates it becomes its first administrator. */
import { useState } from 'react';
import { Field, FormDialog } from '../components/form-dialog.tsx';
import { createOrganization } from './queries.ts';
import { slugOf } from './slug.ts';

interface Props {
  /** Called with the slug of the new organization. */
  readonly onSaved: (slug: string) => void;
  readonly onClose: () => void;
}

export function OrganizationDialog({ onSaved, onClose }: Props) {
  const [name, setName] = useState('');
  const [slug, setSlug] = useState<string>();
  const shownSlug = slug ?? slugOf(name);
  return (
    <FormDialog
      title="New organization"
      action="Create organization"
      isReady={name.trim() !== '' && shownSlug !== ''}
      onSubmit={async () => onSaved((await createOrganization(name.trim(), shownSlug)).slug)}
      onClose={onClose}
    >
      <p className="text-soft">
        An organization has its own people, service accounts, workspaces and MCP servers. You become its administrator.
      </p>
      <Field label="Name">
        <input className="field" value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field label="Slug" hint="It stands in the addresses of MCP servers.">
        <input
          className="field font-mono"
          value={shownSlug}
          maxLength={60}
          spellCheck={false}
          onChange={(event) => setSlug(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
