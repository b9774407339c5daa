/**
 * The platform API in this process, for the commands of the operator: the same routes as over HTTP, with the rights of
 * an administrator of every organization. The audit names the operator.
 */
import type { OrganizationContext } from '../context/platform-context.ts';
import { organizations, REMOVED_WORKSPACES } from '../database/workspaces.ts';
import { ConfigError, NotFound, ValidationFailed } from '../errors.ts';
import { compileRoute } from '../http/pipelines/compiled-route.ts';
import { validateRequest } from '../http/request/validate-request.ts';
import type { PlatformRoute } from '../http/routes/platform-route.ts';
import { operatorRoutes } from '../platform/operator/routes.ts';
import { isUuid, normalUuid } from '../values/id.ts';
import { Api, type Operating } from './api.ts';

/** It is nobody in the database; `isOperator` of the context makes the audit name the operator. */
const caller: OrganizationContext['caller'] = {
  actor: { type: 'user', id: '00000000-0000-0000-0000-000000000000', name: 'operator' },
  state: 'active',
  apiKeyId: undefined,
  session: undefined,
};

export class OperatorApi extends Api {
  readonly #operating: Operating;

  constructor(operating: Operating) {
    super(operating);
    this.#operating = operating;
  }

  override async call(method: string, path: string, body?: string): Promise<unknown> {
    const { platformRoutes } = await import('../app.ts');
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    for (const route of [...operatorRoutes, ...platformRoutes]) {
      const params = route.method === method ? paramsOf(route, pathname) : undefined;
      if (params) return this.#answer(route, params, Object.fromEntries(searchParams), body);
    }
    throw new NotFound('Not Found');
  }

  async #answer(declared: PlatformRoute, params: Record<string, string>, query: object, body: string | undefined) {
    const route = compileRoute(declared);
    const received = { params, query, headers: {}, raw: { headers: {} } };
    const given = body === undefined ? undefined : JSON.parse(body);
    const input = read(() => validateRequest(route.decoder, received, given, Number.POSITIVE_INFINITY));
    const context = await this.#contextFor(params['org']);
    const answer = await route.handler({ context, headers: {}, path: params, bytes: Buffer.alloc(0), ...input });
    const encode = route.encoders.byStatus.get(answer.status) ?? route.encoders.other;
    return encode && answer.body !== undefined ? JSON.parse(encode(answer.body)) : undefined;
  }

  async #contextFor(org: string | undefined): Promise<OrganizationContext> {
    const { change } = this.#operating.context;
    const found = org === undefined ? undefined : await organizations.first(change.db, { slug: org });
    if (org !== undefined && (!found || found.id === REMOVED_WORKSPACES)) {
      throw new ConfigError(`There is no organization "${org}". "signalbox organizations list" lists them.`);
    }
    const organization = { ...found, role: 'admin' };
    // The routes of commands use no other part of the server.
    return { ...change, caller, organization, device: undefined, origin: '' } as unknown as OrganizationContext;
  }
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

/** An error of a field names its flag. */
function read<Input>(validate: () => Input): Input {
  try {
    return validate();
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    const said = error.issues.map(({ loc, msg }) => `--${flagOf(String(loc.at(-1) ?? ''))}: ${msg}`);
    throw new ConfigError(`${said.join('; ')}.`);
  }
}

function flagOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
