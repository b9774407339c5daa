/**
 * A `server.json` of the MCP registry, limited to the members that this server reads. Source: `server.schema.json` of
 * 2025-12-11; files of older schemas are first converted to its spelling.
 */
import { Maybe, RecordOf, refine, Shape, type Static, Type } from '../../../schema/kinds.ts';

export const MAX_TEXT = 10_000;
const MAX_ITEMS = 100;

export const isFew = (record: unknown) =>
  Object.keys(record as object).length > MAX_ITEMS ? `must have at most ${MAX_ITEMS} fields` : undefined;

/** A value that a person enters or that the file gives. Source: `Input`. */
const input = {
  description: Maybe(Type.String({ maxLength: MAX_TEXT })),
  isRequired: Maybe(Type.Boolean()),
  isSecret: Maybe(Type.Boolean()),
  value: Maybe(Type.String({ maxLength: MAX_TEXT })),
  default: Maybe(Type.String({ maxLength: MAX_TEXT })),
  placeholder: Maybe(Type.String({ maxLength: MAX_TEXT })),
  format: Maybe(Type.String({ maxLength: 100 })),
  choices: Maybe(Type.Array(Type.String({ maxLength: MAX_TEXT }), { maxItems: MAX_ITEMS })),
};
const Input = Shape('RegistryInput', input, 'ignore');
export type Input = Static<typeof Input>;
const Inputs = refine(RecordOf(Input), isFew);

/** An input whose value may contain variables. Source: `InputWithVariables`. */
const valuedInput = { ...input, variables: Maybe(Inputs) };
export type ValuedInput = Input & { readonly variables?: Readonly<Record<string, Input>> | null };

/** A header, or an environment variable. Source: `KeyValueInput`. */
const keyValue = { name: Type.String({ minLength: 1, maxLength: 200 }), ...valuedInput };
const KeyValue = Shape('RegistryKeyValue', keyValue, 'ignore');

const argument = {
  type: Maybe(Type.String({ maxLength: 100 })),
  name: Maybe(Type.String({ maxLength: 200 })),
  valueHint: Maybe(Type.String({ maxLength: 200 })),
  isRepeated: Maybe(Type.Boolean()),
  ...valuedInput,
};
const Argument = Shape('RegistryArgument', argument, 'ignore');
export type Argument = Static<typeof Argument>;

const remote = {
  type: Type.String({ maxLength: 100 }),
  url: Type.String({ maxLength: 2000 }),
  headers: Maybe(Type.Array(KeyValue, { maxItems: MAX_ITEMS })),
  variables: Maybe(Inputs),
};
export const Remote = Shape('RegistryRemote', remote, 'ignore');
export type Remote = Static<typeof Remote>;

const packaged = {
  registryType: Maybe(Type.String({ maxLength: 100 })),
  registryBaseUrl: Maybe(Type.String({ maxLength: 2000 })),
  identifier: Maybe(Type.String({ maxLength: 2000 })),
  version: Maybe(Type.String({ maxLength: 255 })),
  transport: Maybe(Shape('RegistryTransport', { type: Type.String({ maxLength: 100 }) }, 'ignore')),
  runtimeHint: Maybe(Type.String({ maxLength: 100 })),
  runtimeArguments: Maybe(Type.Array(Argument, { maxItems: MAX_ITEMS })),
  packageArguments: Maybe(Type.Array(Argument, { maxItems: MAX_ITEMS })),
  environmentVariables: Maybe(Type.Array(KeyValue, { maxItems: MAX_ITEMS })),
};
export const Package = Shape('RegistryPackage', packaged, 'ignore');
export type Package = Static<typeof Package>;

const file = {
  $schema: Maybe(Type.String({ maxLength: 2000 })),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  title: Maybe(Type.String({ maxLength: 200 })),
  description: Maybe(Type.String({ maxLength: 2000 })),
};
/**
 * Does not decode remotes and packages: each is decoded separately, so that a malformed one does not affect the others.
 */
export const RegistryFile = Shape('RegistryFile', file, 'ignore');
export type RegistryFile = Static<typeof RegistryFile>;

/** The members that are read, at each level. */
export const READ = {
  file: [...Object.keys(file), 'remotes', 'packages'],
  remote: Object.keys(remote),
  package: Object.keys(packaged),
  argument: Object.keys(argument),
  keyValue: Object.keys(keyValue),
  input: Object.keys(input),
  transport: ['type'],
} as const;

/** Programs that start packages, whose arguments are read. */
export const RUNTIMES: ReadonlySet<unknown> = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'pipx']);
