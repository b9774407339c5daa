/** Makes or changes a webhook. */
import { Choice, FormDialog } from '../components/form/form-dialog.tsx';
import { CheckField, OwnField, TextField } from '../components/form/form-fields.tsx';
import { useForm } from '../components/form/use-form.ts';
import {
  createWebhook,
  type Issued,
  signatures,
  signWebhook,
  updateWebhook,
  type Webhook,
  type WebhookSignature,
} from './queries.ts';

const EXAMPLE = `{
  "event": "model.refreshed",
  "resource": {
    "prefect.resource.id": {{ ("model." ~ body.model) | tojson }}
  }
}`;

interface Props {
  /** Undefined for a new one. */
  readonly webhook: Webhook | undefined;
  readonly onClose: () => void;
  /** Called with the values that are shown once: the address of a new webhook, a new signing secret. */
  readonly onSaved: (issued: Issued | undefined) => void;
}

export function WebhookDialog({ webhook, onClose, onSaved }: Props) {
  const form = useForm({
    name: webhook?.name ?? '',
    description: webhook?.description ?? '',
    template: webhook?.template ?? EXAMPLE,
    signature: webhook?.signature ?? ('none' as WebhookSignature),
    signature_secret: '',
    isRenewed: false,
  });
  const { name, description, template, signature, signature_secret: secret, isRenewed } = form.values;
  const issuesOwn = signature === 'stripe' || signature === 'slack';
  /** The stored secret stays while the scheme stays and no new secret is typed or requested. */
  const keepsSecret = webhook?.signature === signature && secret === '' && !isRenewed;
  const isReady = name.trim() !== '' && template.trim() !== '' && (!issuesOwn || secret !== '' || keepsSecret);
  return (
    <FormDialog
      title={webhook ? `Edit ${webhook.name}` : 'New webhook'}
      action={webhook ? 'Save' : 'Create webhook'}
      width="wide"
      form={form}
      isReady={isReady}
      onClose={onClose}
      onSubmit={async () => {
        const content = { name, description, template };
        if (!webhook) return onSaved(await createWebhook({ ...content, signature, secret }));
        await updateWebhook(webhook.id, content);
        onSaved(keepsSecret ? undefined : await signWebhook(webhook, { signature, secret }));
      }}
    >
      <TextField of={form} name="name" label="Name" maxLength={200} autoComplete="off" />
      <TextField of={form} name="description" label="Description" maxLength={2000} autoComplete="off" />
      <TextField
        of={form}
        name="template"
        label="Template of the event"
        isMono
        rows={8}
        className="h-auto py-1 text-xs"
        hint="Jinja that renders JSON, from method, headers and body. The filter tojson adds the quotation marks."
      />
      <OwnField of={form} name="signature" label="How the sender signs">
        {(id, value) => (
          <Choice
            id={id}
            value={value}
            choices={signatures}
            onChange={(chosen) => form.set({ signature: chosen, isRenewed: false })}
          />
        )}
      </OwnField>
      {signature === 'none' ? null : (
        <TextField
          of={form}
          name="signature_secret"
          label={issuesOwn ? 'Signing secret that the sender shows' : 'Secret, if you have one'}
          isMono
          type="password"
          autoComplete="off"
          hint={
            webhook?.signature === signature && !isRenewed
              ? 'Leave it empty to keep the stored one.'
              : issuesOwn
                ? undefined
                : 'Empty: the server generates one and shows it once.'
          }
        />
      )}
      {webhook && webhook.signature === signature && signature !== 'none' && !issuesOwn ? (
        <CheckField
          of={form}
          name="isRenewed"
          className="text-soft"
          label="Create a new secret; requests signed with the old one are refused"
        />
      ) : null}
    </FormDialog>
  );
}
