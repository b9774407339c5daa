/** The build of a package of a registry file. */
import { type PackageRegistry, type PackageSource, packageProblem } from '../../mcp/hosting/launch/source.ts';
import { isReadByTools } from '../../mcp/hosting/launch/tool-variables.ts';
import { nameProblem, type VariablePut } from '../server-environment/schema.ts';
import { type Entered, inputsWithValues, type Place, refuse } from './import-values.ts';
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
const REGISTRIES: Readonly<Record<PackageRegistry, RegExp>> = {
  npm: /^https:\/\/registry\.npmjs\.(org|com)\/?$/,
  pypi: /^https:\/\/(www\.)?pypi\.org\/?(simple\/?)?$/,
};
/** What `npx` needs to run without a question. */
const CONFIRMATIONS: ReadonlySet<string> = new Set(['-y', '--yes']);
const MAX_DESCRIPTION = 500;
/** Where a file says what the value of a variable is, or which values it may have. */
const FROM_THE_FILE = ['value', 'default', 'choices'] as const;
const DECIDES =
  'decides what is installed or loaded, and from where, so a file may not set it: leave its value out of the file, and enter it.';

/** What a hosted server is built from and runs with. */
export interface PackagePlan {
  readonly source: PackageSource;
  readonly variables: readonly (VariablePut & { readonly name: string })[];
}

interface HostablePackage extends Package {
  readonly registryType: PackageRegistry;
}

/** True for a package that can be hosted here: of a registry that builds read, speaking over standard input and output. */
export function isHostable(found: Package): found is HostablePackage {
  const { registryType, registryBaseUrl, transport } = found;
  if (registryType !== 'npm' && registryType !== 'pypi') return false;
  if (registryBaseUrl && !REGISTRIES[registryType].test(registryBaseUrl)) return false;
  return (transport?.type ?? 'stdio') === 'stdio';
}

/** Throws NamedRefusal. */
export function planOf(given: ServerImport, found: HostablePackage, place: Place): PackagePlan {
  const source: PackageSource = {
    kind: 'package',
    registryType: found.registryType,
    identifier: found.identifier ?? '',
    version: found.version ?? '',
    arguments: argumentsOf(given, found, place),
  };
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
  const at = [...place, 'packageArguments'];
  const named = (packageArguments ?? []).map((argument, index) => ({
    ...argument,
    name: nameOf(argument, index),
    flag: argument.type === 'named' ? [argument.name ?? ''] : [],
  }));
  const secret = named.findIndex(({ isSecret }) => isSecret);
  if (secret >= 0) {
    const message = 'This argument is a secret, and arguments are shown with the build.';
    refuse('packages_not_supported', [...at, secret], message);
  }
  return inputsWithValues(named, given, ARGUMENTS, at).flatMap(({ input: { flag, format }, value }) => {
    if (format === 'boolean') return value === 'true' ? flag : [];
    return [...flag, value];
  });
}

/** The name under which a person enters its value: its own, or what it stands for, or its place. */
function nameOf({ type, name, valueHint }: Argument, index: number): string {
  return (type === 'named' ? name : valueHint) || String(index + 1);
}

function variablesOf(given: ServerImport, { environmentVariables }: Package, place: Place): PackagePlan['variables'] {
  const at = [...place, 'environmentVariables'];
  const named = environmentVariables ?? [];
  for (const [index, variable] of named.entries()) {
    const { name } = variable;
    const problem = nameProblem(name);
    if (problem) refuse('packages_not_supported', [...at, index], `The variable ${name} ${problem}.`);
    const field = isReadByTools(name) && FROM_THE_FILE.find((one) => saysSomething(variable[one]));
    if (field) refuse('value_not_allowed', [...at, index, field], `${name} ${DECIDES}`);
  }
  return inputsWithValues(named, given, ENVIRONMENT, at).map(({ input: { name, isSecret, description }, value }) => ({
    name,
    value,
    sensitive: isSecret === true,
    description: (description ?? '').slice(0, MAX_DESCRIPTION).toWellFormed(),
  }));
}

/** An empty value is one; an empty list of choices leaves everything open. */
function saysSomething(said: string | readonly string[] | null | undefined): boolean {
  return typeof said === 'string' || (said?.length ?? 0) > 0;
}
