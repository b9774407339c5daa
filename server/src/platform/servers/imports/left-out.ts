/**
 * Finds the members of a registry file that have no effect on the server that is made from it, so that none is dropped
 * silently.
 */
import { isJsonObject } from '../../../values/json.ts';
import { READ, RUNTIMES } from './registry-file.ts';

type Members = Readonly<Record<string, unknown>>;

/** The lists of inputs of a remote or package, and the members that are read of each. */
const INPUTS = {
  headers: READ.keyValue,
  environmentVariables: READ.keyValue,
  runtimeArguments: READ.argument,
  packageArguments: READ.argument,
} as const;

/**
 * `file` is in the latest spelling. `from` is the path of the chosen offer. `path` is the path of the file within the
 * sent value.
 */
export function leftOutOf(file: Members, from: string, path: readonly string[]): string[] {
  const named = (...parts: readonly (string | number)[]) => [...path, ...parts].join('.');
  const others = (['remotes', 'packages'] as const).flatMap((list) =>
    listed(file[list]).flatMap((offer, index) => {
      if (named(list, index) !== from) return [named(list, index)];
      return unreadOf(offer, list === 'remotes' ? READ.remote : READ.package).map((rest) =>
        named(list, index, ...rest),
      );
    }),
  );
  return [...unread(file, READ.file).map((name) => named(name)), ...others];
}

/** Paths of the members of a remote or package that are not read. */
function unreadOf(offer: unknown, read: readonly string[]): (string | number)[][] {
  if (!isJsonObject(offer)) return [];
  const lists = Object.entries(INPUTS).flatMap(([list, members]) =>
    listed(offer[list]).flatMap((input, index) => [
      ...unread(input, members).map((name) => [list, index, name]),
      ...unreadVariables(input).map((rest) => [list, index, ...rest]),
    ]),
  );
  return [
    ...unread(offer, read).map((name) => [name]),
    ...(offer.runtimeHint === undefined || RUNTIMES.has(offer.runtimeHint) ? [] : [['runtimeHint']]),
    ...unread(offer.transport, READ.transport).map((name) => ['transport', name]),
    ...unreadVariables(offer),
    ...lists,
  ];
}

function unreadVariables(owner: unknown): string[][] {
  if (!isJsonObject(owner) || !isJsonObject(owner.variables)) return [];
  return Object.entries(owner.variables).flatMap(([variable, input]) =>
    unread(input, READ.input).map((name) => ['variables', variable, name]),
  );
}

function unread(value: unknown, read: readonly string[]): string[] {
  return isJsonObject(value) ? Object.keys(value).filter((name) => !read.includes(name)) : [];
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
