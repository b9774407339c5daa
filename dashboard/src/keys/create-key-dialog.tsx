/**
 * Makes a key and shows it once. The secret is only in the state of this dialog: it is in no cache, address or storage,
 * and is gone when the dialog closes.
 */
import { type ReactNode, useState } from 'react';
import { useAccess } from '../api/access.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Choice, Field, FormDialog } from '../components/form/form-dialog.tsx';
import { ChoiceField, TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import { Snippet } from '../components/text/snippet.tsx';
import { serverSettings, workspaceSettings } from './client-settings.ts';
import { daysText, expiryOf, lifetimesWithin, usualLifetime } from './expiry.ts';

interface Props {
  /** The owner of the key: `yours`, or the name of a service account. */
  readonly owner: string;
  /** Limits the workspaces to those of an organization. */
  readonly organizationId?: string;
  /** The maximum age of keys in the organization of this key. */
  readonly maxAgeDays: number | null;
  readonly create: (descriptor: string, expiresAt: string | null) => Promise<{ readonly secret: string }>;
  readonly onClose: () => void;
}

export function CreateKeyDialog({ owner, organizationId, maxAgeDays, create, onClose }: Props) {
  const form = useForm({ descriptor: '', lifetime: usualLifetime(maxAgeDays) });
  const { descriptor, lifetime } = form.values;
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) {
    return <NewKeyDialog secret={secret} name={descriptor} organizationId={organizationId} onClose={onClose} />;
  }
  return (
    <FormDialog
      title="New key"
      action="Create key"
      form={form}
      isReady={descriptor.trim() !== ''}
      onClose={onClose}
      onSubmit={async () => setSecret((await create(descriptor.trim(), expiryOf(lifetime))).secret)}
    >
      <p className="text-soft">
        {owner === 'yours'
          ? 'A program that shows the key may do what you may do, at each request.'
          : `A program that shows the key acts as ${owner}, with its role and grants.`}
      </p>
      <TextField
        of={form}
        name="descriptor"
        label="What the key is for"
        maxLength={200}
        autoComplete="off"
        hint="For example: laptop, or nightly report."
      />
      <ChoiceField
        of={form}
        name="lifetime"
        label="Expires"
        choices={lifetimesWithin(maxAgeDays)}
        hint={maxAgeDays === null ? undefined : `Keys that are older than ${daysText(maxAgeDays)} are refused.`}
      />
    </FormDialog>
  );
}

interface NewKeyProps {
  readonly secret: string;
  readonly name: string;
  readonly organizationId?: string | undefined;
  readonly onClose: () => void;
  /** Further information below the sentence. */
  readonly children?: ReactNode;
}

/** Shows a key that was just made. */
export function NewKeyDialog({ secret, name, organizationId, onClose, children }: NewKeyProps) {
  const organizations = useAccess()?.organizations ?? [];
  const places = organizations
    .filter(({ id }) => organizationId === undefined || id === organizationId)
    .flatMap((organization) =>
      organization.workspaces.map((workspace) => ({
        organizationId: organization.id,
        workspaceId: workspace.id,
        title: `${organization.name} / ${workspace.name}`,
      })),
    );
  const [chosen, setChosen] = useState(places[0]?.workspaceId ?? '');
  const place = places.find(({ workspaceId }) => workspaceId === chosen) ?? places[0];
  const ofServer = serverSettings(secret);
  return (
    <Dialog
      isOpen
      // A click beside the dialog must not close it, because the key is shown only once.
      onClose={() => {}}
      width="wide"
      title={`Key for ${name}`}
      actions={
        <Button kind="primary" onClick={onClose}>
          I have copied it
        </Button>
      }
    >
      <p className="mb-3 text-soft">This is the only time that it is shown. Copy it now.</p>
      {children}
      <Snippet title="Key" text={secret} />
      {ofServer === undefined ? null : <Snippet title="For a client of this server's /api" text={ofServer} />}
      {place === undefined ? null : (
        <>
          {places.length > 1 ? (
            <div className="mb-2 max-w-80">
              <Field label="Workspace">
                <Choice
                  value={place.workspaceId}
                  choices={places.map(({ workspaceId, title }) => [workspaceId, title] as const)}
                  onChange={setChosen}
                />
              </Field>
            </div>
          ) : null}
          <Snippet title={`For a client of ${place.title}`} text={workspaceSettings(secret, place)} />
        </>
      )}
    </Dialog>
  );
}
