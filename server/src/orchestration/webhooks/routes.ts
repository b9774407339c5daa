import type { Context } from '../../context/context.ts';
import type { Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Type } from '../../schema/kinds.ts';
import { partOf } from '../filters/pagination.ts';
import {
  createWebhook,
  deleteWebhook,
  missingWebhook,
  rotateWebhook,
  signWebhook,
  updateWebhook,
} from './operations.ts';
import { type LastRequests, listRequests, listWebhooks, type WebhookRow, webhooks } from './queries.ts';
import {
  IssuedWebhook,
  SignedWebhook,
  Webhook,
  WebhookCreate,
  WebhookReplace,
  WebhookRequest,
  WebhookSigning,
  WebhookUpdate,
  webhookBodies,
} from './schema.ts';

const { get, search, post, put, patch, remove } = routesOf('Webhooks', 'webhooks');

/** These routes are additions to the reference; the paths are those that `prefect cloud webhook` calls. */
export const webhookRoutes: readonly Route[] = [
  post('/webhooks/', 'create_webhook_webhooks__post', {
    summary: 'Create a webhook',
    description:
      'A webhook has an address. A Jinja template that renders JSON turns requests to it into events of this workspace. Only this answer has the whole address (`url`, `slug`) and the secret of signatures. 422 for a template that cannot be parsed or a secret that the scheme cannot use.',
    body: WebhookCreate,
    secretBody: true,
    answers: [201, IssuedWebhook],
    handler: async ({ context, body }) => {
      const { webhook, slug, signature_secret } = await createWebhook(context, body);
      return { ...webhook, slug, url: urlOf(context, slug), signature_secret };
    },
  }),
  search('/webhooks/filter', 'read_webhooks_webhooks_filter_post', {
    summary: 'List webhooks',
    description:
      'One page of webhooks in the order of `sort`, each with the beginning of its address and the times of its last event and its last refused request. `limit` is at most the largest page of this server.',
    body: webhookBodies.filter,
    bodyOptional: true,
    answers: Type.Array(Webhook),
    handler: async ({ context, body }) => {
      const { sort = 'NAME_ASC', offset = 0, limit } = body ?? {};
      const rows = await listWebhooks(context.db, partOf(context, { sort, offset, limit }));
      return rows.map(shown);
    },
  }),
  get('/webhooks/{id}', 'read_webhook_webhooks__id__get', {
    summary: 'Read a webhook',
    description: 'One webhook with the beginning of its address. 404 when there is none.',
    answers: Webhook,
    handler: async ({ context, path }) => {
      const requests = await context.db.all(listRequests, { webhook_id: path.id });
      const last = (refused: boolean) => requests.find((request) => request.refused === refused)?.received ?? null;
      return shown({ ...(await required(context, path.id)), last_event: last(false), last_failure: last(true) });
    },
  }),
  put('/webhooks/{id}', 'replace_webhook_webhooks__id__put', {
    summary: 'Replace a webhook',
    description:
      'Replaces name, description and template. The address and the signature stay, and an omitted `enabled` too. 404 when there is none, 422 for a template that cannot be parsed.',
    body: WebhookReplace,
    handler: ({ context, path, body }) => updateWebhook(context, path.id, body),
  }),
  patch('/webhooks/{id}', 'update_webhook_webhooks__id__patch', {
    summary: 'Change a webhook',
    description:
      'Changes the given fields. The address of a disabled webhook answers 404. 404 when there is none, 422 for a template that cannot be parsed.',
    body: WebhookUpdate,
    handler: ({ context, path, body }) => updateWebhook(context, path.id, body),
  }),
  remove('/webhooks/{id}', 'delete_webhook_webhooks__id__delete', {
    summary: 'Delete a webhook',
    description: 'After that, its address answers 404. Its events stay. 404 when there is none.',
    handler: ({ context, path }) => deleteWebhook(context, path.id),
  }),
  post('/webhooks/{id}/rotate', 'rotate_webhook_webhooks__id__rotate_post', {
    summary: 'Give a webhook a new address',
    description:
      'After that, the old address answers 404. Only this answer has the whole new address. 404 when there is none.',
    answers: IssuedWebhook,
    handler: async ({ context, path }) => {
      const { webhook, slug, signature_secret } = await rotateWebhook(context, path.id);
      return { ...webhook, slug, url: urlOf(context, slug), signature_secret };
    },
  }),
  post('/webhooks/{id}/signature', 'sign_webhook_webhooks__id__signature_post', {
    summary: 'Change how senders sign',
    description:
      'Sets the signature scheme and its secret. Only this answer shows the secret. If none is given, the server generates one, except for Stripe and Slack, which issue their own. 404 when there is none, 422 for a secret that the scheme cannot use.',
    body: WebhookSigning,
    secretBody: true,
    answers: SignedWebhook,
    handler: ({ context, path, body }) => signWebhook(context, path.id, body),
  }),
  get('/webhooks/{id}/requests', 'read_webhook_requests_webhooks__id__requests_get', {
    summary: 'List the last requests of a webhook',
    description:
      'The last 20 requests that became events and the last 20 that were refused, newest first, with the reason but without headers and body. Requests beyond the limit per minute are not recorded. 404 when there is no such webhook.',
    answers: Type.Array(WebhookRequest),
    handler: async ({ context, path }) => {
      await required(context, path.id);
      return context.db.all(listRequests, { webhook_id: path.id });
    },
  }),
];

async function required(context: Context, id: string): Promise<WebhookRow> {
  return (await webhooks.first(context.db, { id })) ?? missingWebhook();
}

function shown(webhook: WebhookRow & LastRequests) {
  return { ...webhook, slug: webhook.slug_hint };
}

/** The address beside the API: `…/hooks/<slug>`. */
function urlOf({ client: { apiUrl } }: Context, slug: string): string {
  return `${apiUrl.replace(/\/api(\/accounts\/.*)?$/, '')}/hooks/${slug}`;
}
