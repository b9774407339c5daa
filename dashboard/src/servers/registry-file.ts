/** What a `server.json` of the MCP registry asks of the person who imports it. The server decides whether it can be used. */
import type { components } from '../api/platform.gen.ts';

export type RegistryServer = components['schemas']['RegistryServer'];
type Input = components['schemas']['RegistryInput'];
type Remote = components['schemas']['RegistryRemote'];
type Package = components['schemas']['RegistryPackage'];

export interface Asked {
  readonly name: string;
  readonly of: 'variables' | 'headers' | 'environment' | 'arguments';
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly first: string;
  readonly choices: readonly string[];
}

/** Accepts a `server.json`, or an entry of a registry's API, whose `server` is one. Returns undefined for other text. */
export function parseRegistryFile(text: string): RegistryServer | undefined {
  try {
    const parsed = JSON.parse(text) as { name?: unknown; server?: unknown };
    const file = typeof parsed?.name === 'string' ? parsed : parsed?.server;
    return typeof (file as { name?: unknown } | undefined)?.name === 'string' ? (file as RegistryServer) : undefined;
  } catch {
    return undefined;
  }
}

/** The values that the remote or package which the server would use leaves open. */
export function askedBy({ remotes, packages }: RegistryServer): readonly Asked[] {
  const remote = listed(remotes).find(({ type }) => type === 'streamable-http');
  const found = listed(packages).find(isHostable);
  const asked = remote ? askedByRemote(remote) : found ? askedByPackage(found) : [];
  return [...new Map(asked.map((one) => [`${one.of}.${one.name}`, one])).values()];
}

function isHostable({ registryType, transport }: Package): boolean {
  return (registryType === 'npm' || registryType === 'pypi') && (transport?.type ?? 'stdio') === 'stdio';
}

function askedByRemote({ headers, variables }: Remote): Asked[] {
  return [
    ...variablesOf(variables),
    ...variablesIn(listed(headers)),
    ...open(withNames(headers)).map((header) => askedOf('headers', header.name, header)),
  ];
}

function askedByPackage({ environmentVariables, packageArguments }: Package): Asked[] {
  const named = listed(packageArguments).map((argument, index) => ({
    ...argument,
    name: textOf(argument.type === 'named' ? argument.name : argument.valueHint) || String(index + 1),
  }));
  return [
    ...variablesIn([...listed(environmentVariables), ...named]),
    ...open(withNames(environmentVariables)).map((variable) => askedOf('environment', variable.name, variable)),
    ...open(named).map((argument) => askedOf('arguments', argument.name, argument)),
  ];
}

/** The file can be any text that a person has pasted. */
function listed<T extends object>(list: readonly T[] | null | undefined): readonly T[] {
  return Array.isArray(list) ? list.filter((one): one is T => isObject(one)) : [];
}

function withNames<T extends { readonly name: string }>(list: readonly T[] | null | undefined): readonly T[] {
  return listed(list).filter(({ name }) => typeof name === 'string');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function open<T extends Input>(inputs: readonly T[]): readonly T[] {
  return inputs.filter(({ value }) => typeof value !== 'string');
}

function variablesIn(inputs: readonly { readonly variables?: Readonly<Record<string, Input>> | null }[]): Asked[] {
  return inputs.flatMap(({ variables }) => variablesOf(variables));
}

function variablesOf(variables: Readonly<Record<string, Input>> | null | undefined): Asked[] {
  return Object.entries(isObject(variables) ? variables : {})
    .filter(([, input]) => isObject(input) && typeof input.value !== 'string')
    .map(([name, input]) => askedOf('variables', name, input));
}

function askedOf(of: Asked['of'], name: string, input: Input): Asked {
  return {
    name,
    of,
    description: textOf(input.description),
    isRequired: input.isRequired === true,
    isSecret: input.isSecret === true,
    first: textOf(input.default) ?? '',
    choices: Array.isArray(input.choices) ? input.choices.filter((choice) => typeof choice === 'string') : [],
  };
}
