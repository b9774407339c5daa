/** Queries and changes of webhooks. */
import { queryOptions } from '@tanstack/react-query';
import { answered, api } from '../api/client.ts';
import { PAGE_SIZE, read } from '../api/read.ts';
import type { components } from '../api/schema.gen.ts';

export type Webhook = components['schemas']['Webhook'];
export type WebhookRequest = components['schemas']['WebhookRequest'];
export type WebhookSignature = components['schemas']['WebhookSignature'];

/** Interval of reading requests: they come from outside, and refused ones cause no event in the stream. */
const REFRESH_MILLISECONDS = 10_000;

export const webhooksQuery = read.pages(
  '/webhooks/filter',
  (offset) => ({ body: { offset, limit: PAGE_SIZE, sort: 'NAME_ASC' as const } }),
  {
    initialPageParam: 0,
    refetchInterval: REFRESH_MILLISECONDS,
    getNextPageParam: (last, pages) => (last.length < PAGE_SIZE ? null : pages.length * PAGE_SIZE),
  },
);

export function webhookQuery(id: string) {
  return queryOptions({
    queryKey: ['/webhooks/{id}', id],
    refetchInterval: REFRESH_MILLISECONDS,
    queryFn: async ({ signal }) => {
      const params = { path: { id } };
      const [webhook, requests] = await Promise.all([
        answered(api.GET('/webhooks/{id}', { params, signal })),
        answered(api.GET('/webhooks/{id}/requests', { params, signal })),
      ]);
      return { webhook, requests };
    },
  });
}

/** The values that the server shows only once. */
export interface Issued {
  readonly name: string;
  readonly url?: string;
  readonly secret?: string | null;
}

export interface WebhookForm {
  readonly name: string;
  readonly description: string;
  readonly template: string;
}

export async function createWebhook(
  form: WebhookForm & { readonly signature: WebhookSignature; readonly secret: string },
): Promise<Issued> {
  const { signature, secret, ...content } = form;
  const body = { ...content, enabled: true, signature, signature_secret: secret === '' ? null : secret };
  const { name, url, signature_secret } = await answered(api.POST('/webhooks/', { body }));
  return { name, url, secret: signature_secret };
}

export const updateWebhook = (id: string, body: Partial<WebhookForm> & { readonly enabled?: boolean }) =>
  answered(api.PATCH('/webhooks/{id}', { params: { path: { id } }, body }));

/** Sets the scheme and its secret. Without a secret the server makes one, if the scheme allows it; it is shown once. */
export async function signWebhook(
  { id, name }: Webhook,
  signing: { readonly signature: WebhookSignature; readonly secret: string },
): Promise<Issued> {
  const { signature, secret } = signing;
  const body = { signature, signature_secret: secret === '' ? null : secret };
  const { signature_secret } = await answered(api.POST('/webhooks/{id}/signature', { params: { path: { id } }, body }));
  return { name, secret: signature_secret };
}

export async function rotateWebhook(id: string): Promise<Issued> {
  const { name, url } = await answered(api.POST('/webhooks/{id}/rotate', { params: { path: { id } } }));
  return { name, url };
}

export const deleteWebhook = (id: string) => answered(api.DELETE('/webhooks/{id}', { params: { path: { id } } }));

export const signatures: readonly (readonly [WebhookSignature, string])[] = [
  ['none', 'No signature'],
  ['github', 'GitHub'],
  ['gitlab', 'GitLab'],
  ['slack', 'Slack'],
  ['stripe', 'Stripe'],
  ['standard_webhooks', 'Standard Webhooks'],
];

export function signatureTitle(signature: WebhookSignature): string {
  return signatures.find(([one]) => one === signature)?.[1] ?? signature;
}
