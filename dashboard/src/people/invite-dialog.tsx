/** Invites a person. The link is shown once, even if the server mails it, because the server keeps no copy. */
import { useState } from 'react';
import { invalidate } from '../api/read.ts';
import { Button } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { FormDialog } from '../components/form/form-dialog.tsx';
import { ChoiceField, TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import { Snippet } from '../components/text/snippet.tsx';
import { type CreatedInvitation, invite, type OrganizationRole, organizationRoles } from './queries.ts';

export function InviteDialog({ org, onClose }: { readonly org: string; readonly onClose: () => void }) {
  const form = useForm({ email: '', role: 'member' as OrganizationRole });
  const { email, role } = form.values;
  const [created, setCreated] = useState<CreatedInvitation>();
  if (created) {
    return (
      <Dialog
        isOpen
        // A click beside the dialog must not close it, because the link is shown only once.
        onClose={() => {}}
        width="wide"
        title={`Invitation of ${email}`}
        actions={
          <Button kind="primary" onClick={onClose}>
            {created.mail?.sent ? 'Done' : 'I have copied it'}
          </Button>
        }
      >
        <Delivery created={created} />
        <Snippet title="Link" text={created.url} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="Invite a person"
      action="Invite"
      form={form}
      isReady={email.trim() !== ''}
      onClose={onClose}
      onSubmit={async () => {
        const made = await invite(org, email.trim(), role);
        await invalidate('/organizations/{org}/invitations');
        setCreated(made);
      }}
    >
      <TextField
        of={form}
        name="email"
        label="E-mail address"
        type="email"
        maxLength={254}
        autoComplete="off"
        hint="An earlier invitation of the same address stops working."
      />
      <ChoiceField of={form} name="role" label="Role" choices={organizationRoles} />
    </FormDialog>
  );
}

/** Says whether the link was mailed, and what is left to do. */
function Delivery({ created: { invitation, mail } }: { readonly created: CreatedInvitation }) {
  const ends = 'It works once, within 7 days, and is not shown again.';
  if (mail?.sent) {
    return (
      <p role="status" className="mb-3 text-soft">
        A mail was sent to <span className="font-medium text-ink">{invitation.email}</span> with this link. {ends}
      </p>
    );
  }
  return (
    <>
      {mail ? (
        <p role="alert" className="mb-3 text-bad">
          The mail could not be sent. {mail.reason}
        </p>
      ) : null}
      <p className="mb-3 text-soft">
        Send this link to the person. {ends}
        {mail ? null : ' The server sends no mail.'}
      </p>
    </>
  );
}
