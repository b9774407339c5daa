/** Declares the routes of one resource: its tag and its permissions are given once, and a path names its parameters. */
import type { Permission } from '../../identity/access/permissions.ts';
import type { Static, TSchema } from '../../schema/kinds.ts';
import { type Answer, type Method, type Route, type RouteInput, route } from './route.ts';

/** `id` for `/flows/{id}`. */
export type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

/** The shape of the answer: 200, or the status in front of it. */
type Answers = TSchema | readonly [status: number, shape: TSchema];

/**
 * The result of a route. With `answers`, the handler returns the value in that shape. With neither, the answer is 204.
 * With `responses`, for several statuses and for headers, the handler returns the whole answer.
 */
export type Answering<Input> =
  | { readonly answers?: Answers; readonly responses?: never; handler(input: Input): unknown }
  | {
      readonly responses: Readonly<Record<number, TSchema | null>>;
      readonly answers?: never;
      handler(input: Input): Promise<Answer> | Answer;
    };

type Spec<Path extends string, Query extends TSchema, Body extends TSchema> = Omit<
  Route,
  'method' | 'path' | 'operationId' | 'tags' | 'permission' | 'parameters' | 'query' | 'body' | 'responses' | 'handler'
> & {
  /** Overrides the values of the resource. */
  readonly tags?: readonly string[];
  readonly permission?: Permission;
  /** Parameters whose type does not follow from their name. */
  readonly parameters?: { readonly [Name in NamesIn<Path>]?: 'uuid' | 'text' | TSchema };
  readonly query?: Query;
  readonly body?: Body;
} & Answering<RouteInput<{ [Name in NamesIn<Path>]: string }, Static<Query>, Static<Body>>>;

type ResourceOf<Allowed> = Allowed extends `${infer Name}:read` ? Name : never;

/**
 * `search` is a POST that only reads. Parameters of a path that are named `id` or `…_id` are UUIDs, all others are text.
 */
export function routesOf(tag: string | readonly string[], resource: ResourceOf<Permission>) {
  const declare =
    (method: Method, action: 'read' | 'write') =>
    <const Path extends string, Query extends TSchema = TSchema, Body extends TSchema = TSchema>(
      path: Path,
      operationId: string,
      spec: Spec<Path, Query, Body>,
    ): Route =>
      route({
        tags: typeof tag === 'string' ? [tag] : tag,
        permission: `${resource}:${action}` as Permission,
        ...withAnswers(spec),
        method,
        path,
        operationId,
        parameters: { ...parametersIn(path, /^(id|\w+_id)$/), ...spec.parameters },
      });
  return {
    get: declare('GET', 'read'),
    search: declare('POST', 'read'),
    post: declare('POST', 'write'),
    put: declare('PUT', 'write'),
    patch: declare('PATCH', 'write'),
    remove: declare('DELETE', 'write'),
  };
}

/** The parameters of a path in their order. */
export function parametersIn(path: string, uuids: RegExp): Record<string, 'uuid' | 'text'> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return Object.fromEntries(names.map((name) => [name, uuids.test(name) ? 'uuid' : 'text']));
}

/** The declaration with `responses`, and with a handler that returns whole answers. */
export function withAnswers<Input, S extends Answering<Input>>({ answers, responses, handler, ...spec }: S) {
  if (responses) return { ...spec, responses, handler };
  const [status, shape] = Array.isArray(answers) ? answers : answers ? [200, answers] : [204, null];
  return {
    ...spec,
    responses: { [status]: shape },
    handler: async (input: Input): Promise<Answer> => {
      const body = await handler(input);
      return shape ? { status, body } : { status };
    },
  };
}
