/** What a `server.json` of the MCP registry asks of the person who imports it. The server decides whether it can be used. */
import type { components } from '../api/platform.gen.ts';

export type RegistryServer = components['schemas']['RegistryServer'];
type Input = components['schemas']['RegistryInput'];

export interface Asked {
  readonly name: string;
  readonly of: 'variables' | 'headers';
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

/** The values that the first remote which the gateway can use leaves open. */
export function askedBy({ remotes }: RegistryServer): readonly Asked[] {
  if (!Array.isArray(remotes)) return [];
  const remote = remotes.find(({ type }) => type === 'streamable-http');
  if (!remote) return [];
  const headers = Array.isArray(remote.headers) ? remote.headers : [];
  const inHeaders = headers.flatMap(({ variables }) => variablesOf(variables));
  const open = headers.filter(({ value }) => typeof value !== 'string');
  const asked = [
    ...variablesOf(remote.variables),
    ...inHeaders,
    ...open.map((header) => askedOf('headers', header.name, header)),
  ];
  return [...new Map(asked.map((one) => [`${one.of}.${one.name}`, one])).values()];
}

function variablesOf(variables: Readonly<Record<string, Input>> | null | undefined): Asked[] {
  return Object.entries(variables ?? {})
    .filter(([, input]) => typeof input.value !== 'string')
    .map(([name, input]) => askedOf('variables', name, input));
}

function askedOf(of: Asked['of'], name: string, input: Input): Asked {
  return {
    name,
    of,
    description: input.description ?? undefined,
    isRequired: input.isRequired === true,
    isSecret: input.isSecret === true,
    first: input.default ?? '',
    choices: input.choices ?? [],
  };
}
