/**
 * The declaration of a tool of the built-in server: its shapes, its effect, the routes that it calls, and its
 * implementation.
 */
import { compileDecoder, type Decoded } from '../../../schema/decode.ts';
import { type Static, type TSchema, Type } from '../../../schema/kinds.ts';
import type { Timestamp } from '../../../values/time.ts';
import type { ApiInput, RouteName } from './workspace-api.ts';

/** The means that a tool has. */
export interface Asking {
  /** Returns the answer of one of the routes that the tool declares. */
  ask<Answer>(route: RouteName, input?: ApiInput): Promise<Answer>;
  readonly now: Timestamp;
}

/**
 * `read` changes nothing. `add` creates something, `change` can be undone or repeated without harm, `end` loses
 * something.
 */
export type Effect = 'read' | 'add' | 'change' | 'end';

type Fields = Record<string, TSchema>;
type Values<Of extends Fields> = Static<ReturnType<typeof Type.Object<Of>>>;

interface ToolSpec<Input extends Fields, Output extends Fields> {
  readonly name: string;
  readonly title: string;
  /** Its purpose and when to use it, for a model. */
  readonly description: string;
  readonly effect: Effect;
  /** The caller sees and calls the tool only with the permissions of all of these routes. */
  readonly routes: readonly RouteName[];
  readonly input: Input;
  readonly output: Output;
  run(input: Values<Input>, asking: Asking): Promise<Values<Output> & Partial<Hints>>;
}

interface Hints {
  readonly next_steps: readonly string[];
}

/** A tool without its types. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly routes: readonly RouteName[];
  readonly input: TSchema;
  readonly output: TSchema;
  /** Fills in defaults, or describes the fault of the arguments. */
  decode(given: unknown): Decoded<unknown>;
  run(input: unknown, asking: Asking): Promise<object>;
}

export function tool<Input extends Fields, Output extends Fields>(spec: ToolSpec<Input, Output>): Tool {
  const input = Type.Object(spec.input, { additionalProperties: false });
  const output = Type.Object({ ...spec.output, next_steps: nextSteps });
  return { ...spec, input, output, decode: compileDecoder(input, 'body') } as unknown as Tool;
}

const nextSteps = Type.Optional(Type.Array(Type.String(), { description: 'What to call next, and why.' }));

/** The tool cannot do the request; the text is for the model. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
}
