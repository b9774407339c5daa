/**
 * Calls the API of a workspace from within this process: the same routes with the same permissions, validation,
 * handlers and encoding as over HTTP, without HTTP.
 */
import { createContext, type Server } from '../context/context.ts';
import { splitAtLargeValues } from '../database/lists/large-values.ts';
import { maskSecrets } from '../encryption/mask.ts';
import { Forbidden, NotFound } from '../errors.ts';
import { asOneRequest } from '../fairness/foreign-work/request-work.ts';
import { isAtLeast, type Role } from '../identity/access/access.ts';
import { mayReadSecrets, roleFor } from '../identity/access/permissions.ts';
import { lacksPermission } from '../identity/callers/refusal-sentences.ts';
import type { ApiCaller, ApiInput, RouteName, WorkspaceApi } from '../mcp/builtin/definition/workspace-api.ts';
import { isUuid, normalUuid } from '../values/id.ts';
import { parseJson } from '../values/json.ts';
import { type Compiled, compileRoute } from './pipelines/compiled-route.ts';
import { validateRequest } from './request/validate-request.ts';
import { type Answer, EventStream, PlainBody, type Route } from './routes/route.ts';

/** Replaces a value that its list omits. */
const LEFT_OUT = '"(larger than 16 kB: left out)"';

export class LocalApi implements WorkspaceApi {
  readonly #server: Server;
  readonly #routes: ReadonlyMap<string, Route>;
  /** Routes that were compiled at their first call. */
  readonly #compiled = new Map<string, Compiled<Route>>();

  constructor(server: Server, routes: readonly Route[]) {
    this.#server = server;
    this.#routes = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  }

  allows(name: RouteName, role: Role): boolean {
    return isAtLeast(role, roleFor(this.#routeNamed(name).permission));
  }

  async call(name: RouteName, input: ApiInput, caller: ApiCaller): Promise<unknown> {
    const { requests } = this.#server;
    if (!this.allows(name, caller.role)) {
      throw new Forbidden(lacksPermission(this.#routeNamed(name).permission, caller.role));
    }
    return requests.during([`workspace ${caller.workspace}`, `actor ${caller.actor.id}`], () =>
      asOneRequest(() => this.#answer(this.#routeCompiled(name), input, caller)),
    );
  }

  async #answer(route: Compiled<Route>, { path = {}, query = {}, body }: ApiInput, caller: ApiCaller) {
    const read = body === undefined ? undefined : parseJson(JSON.stringify(body));
    const params = pathOf(route, path);
    const received = { params, query, headers: {}, raw: { headers: {} } };
    const input = validateRequest(route.decoder, received, read, this.#server.config.apiMaxLimit);
    const { workspace, actor, role, signal } = caller;
    const context = createContext(this.#server, workspace, undefined, actor, { signal }, role);
    const answer = await route.handler({ context, headers: {}, path: params, ...input });
    return parsedAnswer(route, answer, role);
  }

  #routeNamed(name: RouteName): Route {
    const route = this.#routes.get(name);
    if (!route) throw new Error(`There is no route ${name}.`);
    return route;
  }

  #routeCompiled(name: RouteName): Compiled<Route> {
    let compiled = this.#compiled.get(name);
    if (!compiled) {
      compiled = compileRoute(this.#routeNamed(name));
      this.#compiled.set(name, compiled);
    }
    return compiled;
  }
}

/** Checks ids, because only the router does so for HTTP requests. */
function pathOf({ parameters }: Route, path: Readonly<Record<string, string>>): Record<string, string> {
  const read: Record<string, string> = {};
  for (const [name, text] of Object.entries(path)) {
    const isId = parameters?.[name] === 'uuid';
    if (isId && !isUuid(text)) throw new NotFound('Not Found');
    read[name] = isId ? normalUuid(text) : text;
  }
  return read;
}

function parsedAnswer({ name, encoders }: Compiled<Route>, { status, body }: Answer, role: Role): unknown {
  if (body instanceof PlainBody || body instanceof EventStream) throw new Error(`${name} does not answer with JSON.`);
  const encode = encoders.byStatus.get(status) ?? encoders.other;
  if (!encode || body === undefined) return undefined;
  const text = encode(body);
  const withheld = mayReadSecrets(role) ? text : maskSecrets(text);
  const parts = splitAtLargeValues(withheld).map((part) => (typeof part === 'string' ? part : LEFT_OUT));
  return JSON.parse(parts.join(''));
}
