/** Who is signed in, read once; the token that changes must carry. */
import { queryOptions } from '@tanstack/react-query';
import { platform } from './client.ts';
import { setCsrfToken } from './csrf-token.ts';
import { serverFacts } from './server-facts.ts';

export interface Session {
  readonly user: { readonly id: string; readonly email: string; readonly name: string | null };
  readonly csrfToken: string;
}

async function readSession(): Promise<Session | null> {
  if (!serverFacts.hasAccounts) return null;
  const { data, response } = await platform.GET('/session');
  if (response.status === 401 || !data) return null;
  setCsrfToken(data.csrfToken);
  return data;
}

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: Number.POSITIVE_INFINITY,
});
