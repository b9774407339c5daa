/** A declared route of one of the APIs with its schemas compiled. */
import type { FastifyRequest } from 'fastify';
import { normalUuid } from '../../values/id.ts';
import { compileAnswers, type Encoders } from '../answer/answer.ts';
import { compileRequestDecoder, type RequestDecoder } from '../request/validate-request.ts';
import type { PlatformRoute } from '../routes/platform-route.ts';
import type { Route } from '../routes/route.ts';

export type Compiled<Declared extends Route | PlatformRoute> = Declared & {
  /** Method and path, for the operator. */
  readonly name: string;
  readonly decoder: RequestDecoder;
  readonly encoders: Encoders;
};

/** `api` distinguishes the routes of the two APIs in the log. */
export function compileRoute<Declared extends Route | PlatformRoute>(route: Declared, api = ''): Compiled<Declared> {
  const name = `${route.method} ${route.path}${api}`;
  return { ...route, name, decoder: compileRequestDecoder(route), encoders: compileAnswers(route.responses) };
}

/** The declared parameters. Ids are normalized to the stored form: lower-case, with dashes. */
export function pathOf({ parameters }: Route | PlatformRoute, request: FastifyRequest): Record<string, string> {
  const segments = request.params as Record<string, string>;
  const path: Record<string, string> = {};
  for (const name in parameters) {
    const text = segments[name]!;
    path[name] = parameters[name] === 'uuid' ? normalUuid(text) : text;
  }
  return path;
}
