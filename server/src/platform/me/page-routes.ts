/** The page where people make keys for themselves. A key opens no page, so it makes no other key here either. */
import { notFound } from '../../errors.ts';
import { type PageAnswer, type PageInput, type PageRoute, redirect } from '../../http/page-route.ts';
import { isUuid, normalUuid } from '../../id.ts';
import { type Problems, problemsOf } from '../../pages/form.ts';
import { actorOf, csrfTokenOf } from '../../platform-context.ts';
import { compileDecoder } from '../../schema/decode.ts';
import { listOwnWorkspaces } from '../account/queries.ts';
import { createPersonalKey, revokeApiKey } from '../api-keys/operations.ts';
import { listNewestActiveApiKeys } from '../api-keys/queries.ts';
import { ApiKeyCreate } from '../api-keys/schema.ts';
import { signedInFooter } from '../sessions/sign-in-page.ts';
import { ownerOf } from './key-owner.ts';
import { createdKeyPage, keysPage } from './keys-page.ts';

const path = '/account/keys';
const title = 'Your API keys';
const SHOWN_KEYS = 200;
const decode = compileDecoder(ApiKeyCreate, 'body');
const sentences = { descriptor: 'Say what the key is for, in 1 to 200 characters.' };

export const keyPages: readonly PageRoute[] = [
  {
    method: 'GET',
    path,
    access: 'session',
    handler: (input) => show(input, 200),
  },
  {
    method: 'POST',
    path,
    access: 'session',
    handler: async (input) => {
      const { context, form } = input;
      const descriptor = form['descriptor']?.trim() ?? '';
      const given = decode({ descriptor });
      if (!given.ok) return show(input, 422, descriptor, problemsOf(given.issues, sentences));
      const workspaces = await context.db.all(listOwnWorkspaces, { actor_id: actorOf(context).id });
      const { secret } = await createPersonalKey(context, given.value.descriptor);
      const { apiAuth } = context.server.config;
      const content = createdKeyPage({ descriptor, secret, address: context.origin, apiAuth, workspaces });
      return { status: 201, title: 'Your new key', content, footer: footerOf(input) };
    },
  },
  {
    method: 'POST',
    path: `${path}/{key}/revoke`,
    access: 'session',
    handler: async ({ context, path: { key = '' } }) => {
      const id = isUuid(key) ? normalUuid(key) : notFound('API key not found.');
      await context.transaction((tx) => revokeApiKey(context, tx, ownerOf(context), id));
      return redirect(path);
    },
  },
  {
    // Where the sign-in leads back to when the session has ended before the form was sent.
    method: 'GET',
    path: `${path}/{key}/revoke`,
    access: 'session',
    handler: () => redirect(path),
  },
];

async function show(
  input: PageInput,
  status: number,
  descriptor?: string,
  problems: Problems = {},
): Promise<PageAnswer> {
  const { context } = input;
  const found = await context.db.all(listNewestActiveApiKeys, {
    owner_id: actorOf(context).id,
    limit: SHOWN_KEYS + 1,
  });
  const content = keysPage({
    keys: found.slice(0, SHOWN_KEYS),
    hasMore: found.length > SHOWN_KEYS,
    descriptor,
    problem: problems['descriptor'],
    csrfToken: csrfTokenOf(context),
  });
  return { status, title, content, footer: footerOf(input) };
}

function footerOf({ context }: PageInput) {
  return signedInFooter(actorOf(context).name, csrfTokenOf(context));
}
