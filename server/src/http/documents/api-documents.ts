/** Makes the OpenAPI documents of the two APIs, with the credentials that each requires. */

import { Problem } from '../answer/render-platform-error.ts';
import { REFERENCE_VERSION } from '../request/api-version.ts';
import type { PlatformRoute } from '../routes/platform-route.ts';
import type { Route } from '../routes/route.ts';
import { SESSION_COOKIE } from '../session/session-cookie.ts';
import { type JsonSchema, openApiDocument } from './openapi.ts';

/** The API of a workspace. A hosted workspace always requires a key; otherwise the access mode decides. */
export function workspaceDocument(routes: readonly Route[], scheme: 'basic' | 'bearer' | undefined): JsonSchema {
  const described = routes.map(({ permission, ...route }) => ({
    ...route,
    ...(scheme && permission === 'public' ? { security: [] } : {}),
  }));
  const info = { title: 'Prefect REST API, served by Signalbox', version: REFERENCE_VERSION };
  const { components, ...document } = openApiDocument(described, info);
  if (!scheme) return { ...document, components };
  const securitySchemes = { [scheme]: { type: 'http', scheme, description: schemeTexts[scheme] } };
  return { ...document, components: { ...(components as object), securitySchemes }, security: [{ [scheme]: [] }] };
}

const schemeTexts = {
  basic: 'The user and password of SIGNALBOX_API_AUTH_STRING.',
  bearer: 'An API key (sbx_…). At each request it has the permissions of its owner.',
};

export function platformDocument(routes: readonly PlatformRoute[]): JsonSchema {
  const described = routes.map((route) => ({
    ...route,
    anyApiVersion: true,
    responses: platformResponses(route),
    ...securityOf(route),
  }));
  const { components, ...document } = openApiDocument(described, { title: 'Signalbox platform API', version: 'v0' });
  const securitySchemes = {
    key: { type: 'http', scheme: 'bearer', description: schemeTexts.bearer },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: SESSION_COOKIE,
      description:
        'Set by the sign-in at /sign-in. Requests that change something must send the token of GET /session in x-csrf-token.',
    },
  };
  return {
    ...document,
    components: { ...(components as object), securitySchemes },
    security: [{ key: [] }, { session: [] }],
  };
}

/** A key or a session, unless the route accepts only one of them, or requires none. */
function securityOf({ access }: PlatformRoute): { security?: readonly object[] } {
  if (access === 'public') return { security: [] };
  return access === 'session' ? { security: [{ session: [] }] } : {};
}

/** The refusals with which a route may answer, by its access. */
function platformResponses(route: PlatformRoute): PlatformRoute['responses'] {
  const { access, binary, body, conflicts, query, responses } = route;
  const refusals = [
    ...(access === 'public' ? [] : [401, 403]),
    ...(access.startsWith('organization:') ? [404] : []),
    ...(conflicts ? [409] : []),
    ...(body || binary ? [413] : []),
    ...(body || binary || query ? [422] : []),
  ];
  return { ...responses, ...Object.fromEntries(refusals.map((status) => [status, Problem])) };
}
