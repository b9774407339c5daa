/** Prepares an action that calls another server: reads its block and renders its templates. Sends nothing yet. */
import type { Context } from '../../../context/context.ts';
import type { Tx } from '../../../database/store.ts';
import { TemplateRuntimeError, TemplateSyntaxError } from '../../../templates/syntax/template-error.ts';
import { type RenderOptions, Template } from '../../../templates/template.ts';
import { pythonRepr } from '../../../values/python-text.ts';
import { type Block, loadBlock } from './block.ts';
import type { Invocation } from './invocation.ts';
import { isNotificationBlock, sendNotification } from './notification.ts';
import type { Outcome } from './outcome.ts';
import { renderingFor } from './template-context.ts';
import { callWebhook } from './webhook.ts';

/** The part of an action that runs outside of every transaction. */
export interface Delivery {
  send(context: Context, signal: AbortSignal): Promise<Outcome>;
}

/** Returns an outcome when the action failed before it could send anything. */
export async function prepareOutgoing(context: Context, tx: Tx, invocation: Invocation): Promise<Delivery | Outcome> {
  const { action, type } = invocation;
  const block = await loadBlock(context, tx, String(action['block_document_id']));
  if (!block) return { reason: `Unexpected status from ${pythonRepr(type)} action: 404`, related: [] };
  return type === 'call-webhook'
    ? prepareWebhook(context, tx, invocation, block)
    : prepareNotification(context, tx, invocation, block);
}

async function prepareWebhook(context: Context, tx: Tx, invocation: Invocation, block: Block) {
  if (block.slug !== 'webhook') return { reason: 'The referenced block was not a webhook block', related: [] };
  const source = String(invocation.action['payload'] ?? '');
  const payload = render(source, await renderingFor(context, tx, invocation, [source]));
  if (typeof payload !== 'string') return { ...payload, related: block.related };
  return { send: (outside: Context, signal: AbortSignal) => callWebhook(outside, block, payload, signal) };
}

async function prepareNotification(context: Context, tx: Tx, invocation: Invocation, block: Block) {
  if (!isNotificationBlock(block)) {
    return { reason: 'The referenced block was not a notification block', related: [] };
  }
  const { action } = invocation;
  const [subjectSource, bodySource] = [String(action['subject'] ?? ''), String(action['body'] ?? '')];
  const rendering = await renderingFor(context, tx, invocation, [subjectSource, bodySource]);
  const subject = render(subjectSource, rendering);
  if (typeof subject !== 'string') return { ...subject, related: block.related };
  const body = render(bodySource, rendering);
  if (typeof body !== 'string') return { ...body, related: block.related };
  return {
    send: (outside: Context, signal: AbortSignal) => sendNotification(outside, block, { subject, body }, signal),
  };
}

function render(source: string, rendering: RenderOptions): string | Omit<Outcome, 'related'> {
  try {
    return new Template(source).render(rendering);
  } catch (error) {
    if (!(error instanceof TemplateRuntimeError || error instanceof TemplateSyntaxError)) throw error;
    const described = error instanceof TemplateRuntimeError ? error.describe() : error.message;
    return {
      reason: `Template rendering failed: ${described}`,
      details: {
        template_error: `Failed to render template due to the following error: ${described}`,
        template_source: source,
      },
    };
  }
}
