/** The build of a package of a registry file. */
import {
  exactVersion,
  foldedName,
  type PackageRegistry,
  type PackageSource,
  packageProblem,
} from '../../../mcp/hosting/launch/packages.ts';
import { isReadByTools } from '../../../mcp/hosting/launch/tool-variables.ts';
import { nameProblem, type VariablePut } from '../environment/schema.ts';
import type { Argument, Package } from './registry-file.ts';
import { packageSpec, runnerWords } from './runner-words.ts';
import type { ImportValues } from './schema.ts';
import { type Entered, inputsWithValues, type Place, refuse } from './values.ts';

const ENVIRONMENT: Entered = {
  field: 'environment',
  what: 'An environment variable',
  missing: 'environment_missing',
  unknown: 'environment_unknown',
};
const ARGUMENTS: Entered = {
  field: 'arguments',
  what: 'An argument',
  missing: 'argument_missing',
  unknown: 'argument_unknown',
};

/** The registries that builds use, and the forms of their addresses in files. */
const REGISTRIES: Readonly<Record<PackageRegistry, RegExp>> = {
  npm: /^https:\/\/registry\.npmjs\.(org|com)\/?$/,
  pypi: /^https:\/\/(www\.)?pypi\.org\/?(simple\/?)?$/,
};
const MAX_DESCRIPTION = 500;
/** Members with which a file decides the value of a variable, or its allowed values. */
const FROM_THE_FILE = ['value', 'default', 'choices'] as const;
const DECIDES =
  'decides what is installed or loaded, so a file may not set it: remove its value from the file, and enter it.';
/** Names of options that are followed by a secret. */
const SECRET_OPTION = /^--?[\w-]*(token|secret|password|passwd|api[-_]?key|access[-_]?key|credentials?)$/i;
/**
 * Words that are secrets: by the preceding option, by the known prefix of a service's keys, or as the password in an
 * address.
 */
const SECRET_WORD =
  /^--?[\w-]*(token|secret|password|passwd|api[-_]?key|access[-_]?key|credentials?)=.|^(sk-|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|AKIA|Bearer )|:\/\/[^/@\s:]*:[^/@\s]+@/i;

/** The source and the environment of a hosted server. */
export interface PackagePlan {
  readonly source: PackageSource;
  readonly variables: readonly (VariablePut & { readonly name: string })[];
}

/** A package that can be hosted here, before a person has entered values. */
export interface HostedPackage {
  readonly source: Omit<PackageSource, 'arguments' | 'program'>;
  /** With `uvx --from NAME`, the first word is a program of the package. */
  readonly startsWithProgram: boolean;
  /** The words before the arguments of the package. */
  readonly words: readonly string[];
  readonly arguments: readonly NamedArgument[];
  readonly variables: NonNullable<Package['environmentVariables']>;
  readonly place: Place;
}

type NamedArgument = Argument & { readonly name: string; readonly flag: readonly string[] };

/** Throws NamedRefusal for a package that cannot be hosted here with any values. */
export function hostedPackage(found: Package, place: Place): HostedPackage {
  const registryType = registryOf(found, place);
  const { from, words, spec } = runnerOf(registryType, found, place);
  const wanted = found.version || spec?.version || 'latest';
  const version = wanted === 'latest' ? null : (exactVersion(registryType, wanted) ?? wanted);
  const extras = spec?.extras ?? [];
  const source = { kind: 'package', registryType, identifier: found.identifier ?? '', version, extras } as const;
  const fault = packageProblem(source);
  if (fault) refuse('packages_not_supported', [...place, fault.field], `The ${fault.field} ${fault.problem}.`);
  const named = (found.packageArguments ?? []).map((argument, index) => ({
    ...argument,
    name: nameOf(argument, index),
    flag: argument.type === 'named' ? [argument.name ?? ''] : [],
  }));
  checkArguments(named, [...place, 'packageArguments']);
  const variables = found.environmentVariables ?? [];
  checkVariables(variables, [...place, 'environmentVariables']);
  return { source, startsWithProgram: from, words, arguments: named, variables, place };
}

function registryOf({ registryType, identifier, registryBaseUrl, transport }: Package, place: Place): PackageRegistry {
  const isRead = registryType === 'npm' || registryType === 'pypi';
  const speaks = transport?.type ?? 'stdio';
  if (isRead && speaks === 'stdio' && (!registryBaseUrl || REGISTRIES[registryType].test(registryBaseUrl))) {
    return registryType;
  }
  const what = [registryType, identifier].filter(Boolean).join(' ');
  const why = isRead ? (speaks === 'stdio' ? `, from ${registryBaseUrl}` : `, over ${speaks}`) : '';
  return refuse(
    'packages_not_supported',
    place,
    `Packages of npm and PyPI that speak over standard input and output can be hosted; this one cannot (${what}${why}).`,
  );
}

/** Reads the arguments of `npx` or `uvx`. Throws NamedRefusal for arguments that a build does not support. */
function runnerOf(registryType: PackageRegistry, { identifier = '', runtimeArguments }: Package, place: Place) {
  const given = (runtimeArguments ?? []).flatMap((argument, index) =>
    wordsOf(argument).map((word) => ({ word, index })),
  );
  const at = (index: number) => [...place, 'runtimeArguments', given[index]?.index ?? 0];
  const words = given.map(({ word }) => word);
  const read = runnerWords(registryType, words);
  if (read.unknown !== undefined) {
    refuse(
      'packages_not_supported',
      at(read.unknown),
      `The package is installed by a build, which has no option ${words[read.unknown]?.split('=')[0]}.`,
    );
  }
  const [first, ...others] = read.words;
  const naming = read.from ?? first;
  if (naming === undefined) return { from: false, words: [], spec: undefined };
  const spec = packageSpec(registryType, naming);
  if (!spec || foldedName(spec.identifier) !== foldedName(identifier ?? '')) {
    refuse('packages_not_supported', at(words.indexOf(naming)), `This names another package than ${identifier}.`);
  }
  return { from: read.from !== undefined, words: read.from === undefined ? others : read.words, spec };
}

/** A person does not enter these arguments, so an open one gets its default. */
function wordsOf({ type, name, value, default: usual }: Argument): string[] {
  const text = value ?? usual;
  return [...(type === 'named' || (name && !text) ? [name ?? ''] : []), ...(text ? [text] : [])];
}

/** The name under which a person enters its value: its own name, its hint, or its position. */
function nameOf({ type, name, valueHint }: Argument, index: number): string {
  return (type === 'named' ? name : valueHint) || String(index + 1);
}

/** Refuses secrets in arguments, because the list of builds shows arguments. */
function checkArguments(named: readonly NamedArgument[], place: Place): void {
  const isSecret = ({ isSecret, value, variables, flag }: NamedArgument, index: number) => {
    const before = flag[0] ?? named[index - 1]?.value ?? '';
    return (
      isSecret ||
      SECRET_OPTION.test(before) ||
      SECRET_WORD.test(value ?? '') ||
      Object.values(variables ?? {}).some((variable) => variable.isSecret)
    );
  };
  const secret = named.findIndex(isSecret);
  if (secret < 0) return;
  const message = 'This argument is a secret, and arguments are shown with the build.';
  refuse('packages_not_supported', [...place, secret], message);
}

function checkVariables(variables: HostedPackage['variables'], place: Place): void {
  for (const [index, variable] of variables.entries()) {
    const { name } = variable;
    const problem = nameProblem(name);
    if (problem) refuse('packages_not_supported', [...place, index], `The variable ${name} ${problem}.`);
    const field = isReadByTools(name) && FROM_THE_FILE.find((one) => saysSomething(variable[one]));
    if (field) refuse('value_not_allowed', [...place, index, field], `${name} ${DECIDES}`);
  }
}

/** The plan with the entered values. Throws NamedRefusal. */
export function planOf(found: HostedPackage, given: ImportValues): PackagePlan {
  const { source, place, startsWithProgram } = found;
  const words = [...found.words, ...argumentsOf(found, given)];
  const program = startsWithProgram ? (words.shift() ?? null) : null;
  const fault = packageProblem({ ...source, program });
  if (fault) refuse('packages_not_supported', [...place, 'packageArguments'], `The ${fault.field} ${fault.problem}.`);
  return { source: { ...source, program, arguments: words }, variables: variablesOf(found, given) };
}

function argumentsOf({ arguments: named, place }: HostedPackage, given: ImportValues): string[] {
  return inputsWithValues(named, given, ARGUMENTS, [...place, 'packageArguments']).flatMap(
    ({ input: { flag, format }, value }) => {
      if (format === 'boolean') return value === 'true' ? flag : [];
      return [...flag, value];
    },
  );
}

function variablesOf({ variables, place }: HostedPackage, given: ImportValues): PackagePlan['variables'] {
  const set = inputsWithValues(variables, given, ENVIRONMENT, [...place, 'environmentVariables']);
  return set.map(({ input: { name, isSecret, description }, value }) => ({
    name,
    value,
    sensitive: isSecret === true,
    description: (description ?? '').slice(0, MAX_DESCRIPTION).toWellFormed(),
  }));
}

/** An empty value counts as a value; an empty list of choices does not restrict anything. */
function saysSomething(said: string | readonly string[] | null | undefined): boolean {
  return typeof said === 'string' || (said?.length ?? 0) > 0;
}
