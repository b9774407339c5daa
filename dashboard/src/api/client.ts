/** Clients of the two APIs of the server, with types from their own documents. */
import createClient, { type Middleware } from 'openapi-fetch';
import { basicAuthorization } from './basic-credential.ts';
import { csrfToken, csrfTokenKnown } from './csrf-token.ts';
import type { paths as PlatformPaths } from './platform.gen.ts';
import { Problem, problemOf } from './problem.ts';
import type { paths } from './schema.gen.ts';
import { noteStatus } from './signed-out.ts';
import { apiPath, platformPath } from './workspace.ts';

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Longer than any answer for which people wait. */
const DEADLINE_MILLISECONDS = 30_000;
/** A file may be as large as the workspace, and takes as long as it takes. */
const EXPORT_DEADLINE_MILLISECONDS = 3_600_000;

/** Adds the CSRF token, with which a change in a session proves that it comes from this page. */
const session: Middleware = {
  async onRequest({ request }) {
    if (safeMethods.has(request.method)) return request;
    await csrfTokenKnown();
    const token = csrfToken();
    if (token !== undefined) request.headers.set('x-csrf-token', token);
    return request;
  },
};

/** Sends the credential only to the API of the workspace, because the platform has accounts. */
const basic: Middleware = {
  onRequest({ request }) {
    const authorization = basicAuthorization();
    if (authorization !== undefined) request.headers.set('authorization', authorization);
    return request;
  },
};

async function send(request: Request): Promise<Response> {
  const deadline = new URL(request.url).pathname.endsWith('/export')
    ? EXPORT_DEADLINE_MILLISECONDS
    : DEADLINE_MILLISECONDS;
  try {
    const answer = await fetch(request, {
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(deadline)]),
    });
    noteStatus(answer.status);
    return answer;
  } catch (error) {
    if (request.signal.aborted) throw error;
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    throw new Problem(0, isLate ? 'The server did not answer within 30 seconds.' : 'The server cannot be reached.');
  }
}

/** The API of this page's workspace. */
export const api = createClient<paths>({ baseUrl: location.origin + apiPath, fetch: send });
/** The platform API: people, organizations, keys, MCP servers. */
export const platform = createClient<PlatformPaths>({ baseUrl: location.origin + platformPath, fetch: send });
api.use(session, basic);
platform.use(session);

/** The data of an answer. Throws Problem for a failure. */
export async function answered<T>(
  pending: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await pending;
  if (!response.ok) throw problemOf(response.status, error, response.headers);
  return data as NonNullable<T>;
}
