/** Invites a person. The link is shown once: the server sends no mail and keeps no copy. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Choice, Field, FormDialog } from '../components/form-dialog.tsx';
import { Snippet } from '../components/snippet.tsx';
import { invite, type OrganizationRole, organizationRoles } from './queries.ts';

export function InviteDialog({ org, onClose }: { readonly org: string; readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<OrganizationRole>('member');
  const [link, setLink] = useState<string>();
  if (link !== undefined) {
    return (
      <Dialog
        isOpen
        // A link that is shown once must not go away with a click beside it.
        onClose={() => {}}
        width="wide"
        title={`Invitation of ${email}`}
        actions={
          <Button kind="primary" onClick={onClose}>
            I have copied it
          </Button>
        }
      >
        <p className="mb-3 text-soft">
          Send this link to the person. It works once, within 7 days, and is not shown again: the server sends no mail.
        </p>
        <Snippet title="Link" text={link} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="Invite a person"
      action="Create link"
      isReady={email.trim() !== ''}
      onClose={onClose}
      onSubmit={async () => {
        const { url } = await invite(org, email.trim(), role);
        await queries.invalidateQueries({ queryKey: ['invitations', org] });
        setLink(url);
      }}
    >
      <Field label="E-mail address" hint="An earlier invitation of the same address stops working.">
        <input
          className="field"
          type="email"
          value={email}
          maxLength={254}
          autoComplete="off"
          onChange={(event) => setEmail(event.target.value)}
        />
      </Field>
      <Field label="Role">
        <Choice value={role} choices={organizationRoles} onChange={setRole} />
      </Field>
    </FormDialog>
  );
}
