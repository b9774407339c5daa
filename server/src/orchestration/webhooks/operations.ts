import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { ObjectNotFound } from '../../errors.ts';
import { recordChange } from '../../events/record-change.ts';
import { recordWorkspaceAudit } from '../../identity/audit/workspace-audit.ts';
import { newWebhookAddress } from '../../identity/targets/webhook-address.ts';
import { newId } from '../../values/id.ts';
import { jsonTextOf } from '../../values/json.ts';
import { type WebhookRow, webhooks } from './queries.ts';
import type { WebhookCreate, WebhookReplace, WebhookSigning, WebhookUpdate } from './schema.ts';
import { signingSecret } from './signatures.ts';

/** The values that are shown only once, with the stored webhook. */
interface Issued {
  readonly webhook: WebhookRow;
  readonly slug: string;
  readonly signature_secret: string | null;
}

/** Throws Unprocessable for a secret that the scheme cannot use. */
export function createWebhook(context: Context, input: WebhookCreate): Promise<Issued> {
  const signature_secret = signingSecret(input.signature, input.signature_secret);
  const { slug, ...address } = newWebhookAddress();
  return context.transaction(async (tx) => {
    const webhook = await webhooks.insert(tx, {
      id: newId(),
      created: context.now,
      updated: context.now,
      name: input.name,
      description: input.description,
      template: input.template,
      enabled: input.enabled,
      signature: input.signature,
      encrypted_signature_secret: encrypted(context, signature_secret),
      ...address,
    });
    await record(context, tx, 'created', webhook);
    return { webhook, slug, signature_secret };
  });
}

/** Changes the given fields. Throws ObjectNotFound. */
export async function updateWebhook(
  context: Context,
  id: string,
  given: WebhookUpdate | WebhookReplace,
): Promise<void> {
  await change(context, id, 'updated', given);
}

/** Gives the webhook a new address; the old one stops working at once. Throws ObjectNotFound. */
export async function rotateWebhook(context: Context, id: string): Promise<Issued> {
  const { slug, ...address } = newWebhookAddress();
  const webhook = await change(context, id, 'rotated', address);
  return { webhook, slug, signature_secret: null };
}

/**
 * Changes how senders sign; the old secret stops working at once. Throws ObjectNotFound, and Unprocessable for a secret
 * that the scheme cannot use.
 */
export async function signWebhook(
  context: Context,
  id: string,
  { signature, signature_secret: given }: WebhookSigning,
): Promise<{ signature: string; signature_secret: string | null }> {
  const signature_secret = signingSecret(signature, given);
  const encrypted_signature_secret = encrypted(context, signature_secret);
  await change(context, id, 'updated', { signature, encrypted_signature_secret });
  return { signature, signature_secret };
}

/** Throws ObjectNotFound. */
export function deleteWebhook(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    const webhook = (await webhooks.remove(tx, { id })) ?? missingWebhook();
    await record(context, tx, 'deleted', webhook);
  });
}

export function missingWebhook(): never {
  throw new ObjectNotFound('Webhook not found');
}

function encrypted({ server }: Context, secret: string | null): string | null {
  return secret === null ? null : server.encryption.encrypt(secret);
}

const actions = { created: 'create', updated: 'update', rotated: 'rotate', deleted: 'delete' } as const;

type Change = keyof typeof actions;

function change(context: Context, id: string, kind: Change, given: Partial<WebhookRow>): Promise<WebhookRow> {
  return context.transaction(async (tx) => {
    const webhook = (await webhooks.change(tx, { id }, { ...given, updated: context.now })) ?? missingWebhook();
    await record(context, tx, kind, webhook);
    return webhook;
  });
}

async function record(context: Context, tx: Tx, kind: Change, webhook: WebhookRow): Promise<void> {
  const { id, name, enabled, signature } = webhook;
  const details = { enabled, signature };
  await recordChange(context, tx, 'webhook', kind, webhook, jsonTextOf(details));
  await recordWorkspaceAudit(tx, context, {
    action: `webhook.${actions[kind]}`,
    target: { type: 'webhook', id, name },
    details,
  });
}
