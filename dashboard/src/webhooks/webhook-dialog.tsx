/** Makes or changes a webhook. */
import { useState } from 'react';
import { Choice, Field, FormDialog } from '../components/form-dialog.tsx';
import {
  createWebhook,
  type Issued,
  signatures,
  signWebhook,
  updateWebhook,
  type Webhook,
  type WebhookForm,
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
  const [form, setForm] = useState<WebhookForm>({
    name: webhook?.name ?? '',
    description: webhook?.description ?? '',
    template: webhook?.template ?? EXAMPLE,
  });
  const [signature, setSignature] = useState<WebhookSignature>(webhook?.signature ?? 'none');
  const [secret, setSecret] = useState('');
  const [isRenewed, renew] = useState(false);
  const change = (part: Partial<WebhookForm>) => setForm((before) => ({ ...before, ...part }));
  const issuesOwn = signature === 'stripe' || signature === 'slack';
  /** The stored secret stays while the scheme stays and no new secret is typed or requested. */
  const keepsSecret = webhook?.signature === signature && secret === '' && !isRenewed;
  const isReady =
    form.name.trim() !== '' && form.template.trim() !== '' && (!issuesOwn || secret !== '' || keepsSecret);
  return (
    <FormDialog
      title={webhook ? `Change ${webhook.name}` : 'New webhook'}
      action={webhook ? 'Save' : 'Create webhook'}
      width="wide"
      isReady={isReady}
      onClose={onClose}
      onSubmit={async () => {
        if (!webhook) return onSaved(await createWebhook({ ...form, signature, secret }));
        await updateWebhook(webhook.id, form);
        onSaved(keepsSecret ? undefined : await signWebhook(webhook, { signature, secret }));
      }}
    >
      <Field label="Name">
        <input
          className="field"
          maxLength={200}
          autoComplete="off"
          value={form.name}
          onChange={({ target }) => change({ name: target.value })}
        />
      </Field>
      <Field label="Description">
        <input
          className="field"
          maxLength={2000}
          autoComplete="off"
          value={form.description}
          onChange={({ target }) => change({ description: target.value })}
        />
      </Field>
      <Field
        label="Template of the event"
        hint="Jinja that renders JSON, from method, headers and body. The filter tojson adds the quotation marks."
      >
        <textarea
          className="field h-auto py-1 font-mono text-xs"
          rows={8}
          spellCheck={false}
          value={form.template}
          onChange={({ target }) => change({ template: target.value })}
        />
      </Field>
      <Field label="How the sender signs">
        <Choice
          value={signature}
          choices={signatures}
          onChange={(chosen) => {
            setSignature(chosen);
            renew(false);
          }}
        />
      </Field>
      {signature === 'none' ? null : (
        <Field
          label={issuesOwn ? 'Signing secret that the sender shows' : 'Secret, if you have one'}
          hint={
            webhook?.signature === signature && !isRenewed
              ? 'Leave it empty to keep the stored one.'
              : issuesOwn
                ? undefined
                : 'Empty: the server generates one and shows it once.'
          }
        >
          <input
            className="field font-mono"
            type="password"
            autoComplete="off"
            value={secret}
            onChange={({ target }) => setSecret(target.value)}
          />
        </Field>
      )}
      {webhook && webhook.signature === signature && signature !== 'none' && !issuesOwn ? (
        <label className="flex items-center gap-2 text-soft">
          <input type="checkbox" checked={isRenewed} onChange={({ target }) => renew(target.checked)} />
          Make a new secret; requests signed with the old one are refused
        </label>
      ) : null}
    </FormDialog>
  );
}
