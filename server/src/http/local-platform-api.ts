/**
 * Calls the platform API from within this process, for the operator of this machine: the same routes with the same
 * validation, handlers and encoding as over HTTP, without HTTP and without a decision about access.
 */
import type { OrganizationContext } from '../context/platform-context.ts';
import { NotFound } from '../errors.ts';
import { isUuid, normalUuid } from '../values/id.ts';
import { compileRoute } from './pipelines/compiled-route.ts';
import { validateRequest } from './request/validate-request.ts';
import type { PlatformRoute } from './routes/platform-route.ts';

/** The context of a request; `org` is the organization that the path names. */
type OperatorContextFor = (org: string | undefined) => Promise<OrganizationContext>;

/**
 * Resolves with the parsed answer; undefined for an empty one. Rejects with the errors of the routes. `path` is below
 * `/api/v0`.
 */
export async function callPlatform(
  routes: readonly PlatformRoute[],
  contextFor: OperatorContextFor,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body: string | undefined },
): Promise<unknown> {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  for (const declared of routes) {
    const params = declared.method === method ? paramsOf(declared, pathname) : undefined;
    if (!params) continue;
    const route = compileRoute(declared);
    const received = { params, query: Object.fromEntries(searchParams), headers: {}, raw: { headers: {} } };
    const given: unknown = body === undefined ? undefined : JSON.parse(body);
    const input = validateRequest(route.decoder, received, given, Number.POSITIVE_INFINITY);
    const context = await contextFor(params['org']);
    const answer = await route.handler({ context, headers: {}, path: params, bytes: Buffer.alloc(0), ...input });
    const encode = route.encoders.byStatus.get(answer.status) ?? route.encoders.other;
    return encode && answer.body !== undefined ? JSON.parse(encode(answer.body)) : undefined;
  }
  throw new NotFound('Not Found');
}

/** The parameters of the path; undefined for another path. Ids are normalized to the stored form. */
function paramsOf({ path, parameters }: PlatformRoute, pathname: string): Record<string, string> | undefined {
  const [wanted, given] = [path.split('/'), pathname.split('/')];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const text = decodeURIComponent(given[index] ?? '');
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined ? segment !== text : parameters?.[name] === 'uuid' && !isUuid(text)) return undefined;
    if (name !== undefined) params[name] = parameters?.[name] === 'uuid' ? normalUuid(text) : text;
  }
  return params;
}
