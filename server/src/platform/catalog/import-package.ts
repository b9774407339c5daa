/** The build of a package of a registry file. */

import { type PackageSource, packageProblem } from '../../mcp/hosting/launch/source.ts';
import { nameProblem, type VariablePut } from '../server-environment/schema.ts';
import { checkNames, type Entered, inputValue, type Place, refuse } from './import-values.ts';
import type { Argument, Package, ServerImport } from './schema.ts';

const ENVIRONMENT: Entered = {
  field: 'environment',
  what: 'A variable of the environment',
  missing: 'environment_missing',
  unknown: 'environment_unknown',
};
const ARGUMENTS: Entered = {
  field: 'arguments',
  what: 'An argument',
  missing: 'argument_missing',
  unknown: 'argument_unknown',
};

/** The registries that builds read, and how files write their addresses. */
const REGISTRIES: Readonly<Record<PackageSource['registryType'], RegExp>> = {
  npm: /^https:\/\/registry\.npmjs\.(org|com)\/?$/,
  pypi: /^https:\/\/(www\.)?pypi\.org\/?(simple\/?)?$/,
};
/** What `npx` needs to run without a question. */
const CONFIRMATIONS: ReadonlySet<string> = new Set(['-y', '--yes']);
const MAX_DESCRIPTION = 500;

/** What a hosted server is built from and runs with. */
export interface PackagePlan {
  readonly source: PackageSource;
  readonly variables: readonly (VariablePut & { readonly name: string })[];
}

/** True for a package that can be hosted here: of a registry that builds read, speaking over standard input and output. */
export function isHostable({ registryType, registryBaseUrl, transport }: Package): boolean {
  if (registryType !== 'npm' && registryType !== 'pypi') return false;
  if (registryBaseUrl && !REGISTRIES[registryType].test(registryBaseUrl)) return false;
  return (transport?.type ?? 'stdio') === 'stdio';
}

/** Throws NamedRefusal. */
export function planOf(given: ServerImport, found: Package, place: Place): PackagePlan {
  const source = {
    kind: 'package',
    registryType: found.registryType === 'pypi' ? 'pypi' : 'npm',
    identifier: found.identifier ?? '',
    version: found.version ?? '',
    arguments: argumentsOf(given, found, place),
  } as const;
  const fault = packageProblem(source);
  if (fault) refuse('packages_not_supported', [...place, fault.field], `The ${fault.field} ${fault.problem}.`);
  return { source, variables: variablesOf(given, found, place) };
}

function argumentsOf(given: ServerImport, { packageArguments, runtimeArguments }: Package, place: Place): string[] {
  const forRuntime = (runtimeArguments ?? []).findIndex(({ name, value }) => !CONFIRMATIONS.has(name || value || ''));
  if (forRuntime >= 0) {
    refuse(
      'packages_not_supported',
      [...place, 'runtimeArguments', forRuntime],
      'The package is installed by a build, which takes no arguments of npx or uvx.',
    );
  }
  const known = packageArguments ?? [];
  const words = known.flatMap((argument, index) => {
    const at = [...place, 'packageArguments', index];
    if (argument.isSecret) {
      refuse('packages_not_supported', at, 'This argument is a secret, and arguments are shown with the build.');
    }
    const flag = argument.type === 'named' ? [argument.name ?? ''] : [];
    const value = inputValue(nameOf(argument, index), argument, given, ARGUMENTS, at);
    if (value !== undefined && argument.format === 'boolean') return value === 'true' ? flag : [];
    return value === undefined ? [] : [...flag, value];
  });
  checkNames(ARGUMENTS, given, known.map(nameOf));
  return words;
}

/** The name under which a person enters its value: its own, or what it stands for, or its place. */
function nameOf({ type, name, valueHint }: Argument, index: number): string {
  return (type === 'named' ? name : valueHint) || String(index + 1);
}

function variablesOf(given: ServerImport, { environmentVariables }: Package, place: Place): PackagePlan['variables'] {
  const known = environmentVariables ?? [];
  const set = known.flatMap((variable, index) => {
    const { name, isSecret, description } = variable;
    const at = [...place, 'environmentVariables', index];
    const problem = nameProblem(name);
    if (problem) refuse('packages_not_supported', at, `The variable ${name} ${problem}.`);
    const value = inputValue(name, variable, given, ENVIRONMENT, at);
    if (value === undefined) return [];
    const shortened = (description ?? '').slice(0, MAX_DESCRIPTION).toWellFormed();
    return [{ name, value, sensitive: isSecret === true, description: shortened }];
  });
  checkNames(
    ENVIRONMENT,
    given,
    known.map(({ name }) => name),
  );
  return set;
}
