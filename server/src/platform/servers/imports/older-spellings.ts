/**
 * Converts the members of a registry file to the spelling of the latest schema. Sources: the schemas of 2025-07-09
 * (names with underscores), 2025-09-16 and later, and files that are older than all of them.
 */
import { isJsonObject } from '../../../values/json.ts';

type Members = Readonly<Record<string, unknown>>;

/** Names with the same meaning, the older one first. */
const RENAMED: Readonly<Record<string, string>> = {
  website_url: 'websiteUrl',
  registry_type: 'registryType',
  registry_name: 'registryType',
  registry_base_url: 'registryBaseUrl',
  file_sha256: 'fileSha256',
  runtime_hint: 'runtimeHint',
  runtime_arguments: 'runtimeArguments',
  package_arguments: 'packageArguments',
  environment_variables: 'environmentVariables',
  transport_type: 'type',
  transportType: 'type',
  value_hint: 'valueHint',
  is_required: 'isRequired',
  is_secret: 'isSecret',
  is_repeated: 'isRepeated',
};
/** Other names of the transport that the registry calls `streamable-http`. */
const STREAMABLE: ReadonlySet<string> = new Set(['streamable', 'streamablehttp', 'streamable-http', 'http']);
const LISTS_OF_INPUTS = ['headers', 'runtimeArguments', 'packageArguments', 'environmentVariables'] as const;
const TEXTS = ['value', 'default'] as const;

/** Values that are not objects stay unchanged, so that the later decoding reports them. */
export function inNewestSpelling(file: Members): Members {
  return withLists(renamed(file), { remotes: offerInNewestSpelling, packages: packageInNewestSpelling });
}

function packageInNewestSpelling(given: Members): Members {
  const { name, ...found } = offerInNewestSpelling(given);
  // Before 2025-07-09 a package had a name.
  const identifier = found.identifier ?? name;
  const { transport } = found;
  return {
    ...found,
    ...(identifier === undefined ? {} : { identifier }),
    ...(typeof transport === 'string' ? { transport: { type: transport } } : {}),
    ...(isJsonObject(transport) ? { transport: renamed(transport) } : {}),
  };
}

function offerInNewestSpelling(given: Members): Members {
  const found = renamed(given);
  const { type } = found;
  const isStreamable = typeof type === 'string' && STREAMABLE.has(type.toLowerCase());
  const lists = Object.fromEntries(LISTS_OF_INPUTS.map((name) => [name, inputInNewestSpelling]));
  return withVariables({ ...withLists(found, lists), ...(isStreamable ? { type: 'streamable-http' } : {}) });
}

function inputInNewestSpelling(given: Members): Members {
  return withVariables(asTexts(renamed(given)));
}

/** Converts numbers and booleans, which many people write where the schema requires text. */
function asTexts(input: Members): Members {
  const texts = TEXTS.filter((name) => isPlain(input[name])).map((name) => [name, String(input[name])]);
  const { choices } = input;
  return {
    ...input,
    ...Object.fromEntries(texts),
    ...(Array.isArray(choices)
      ? { choices: choices.map((choice) => (isPlain(choice) ? String(choice) : choice)) }
      : {}),
  };
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean';
}

function withVariables(given: Members): Members {
  const { variables } = given;
  if (!isJsonObject(variables)) return given;
  const newest = Object.entries(variables).map(([name, input]) => [
    name,
    isJsonObject(input) ? asTexts(renamed(input)) : input,
  ]);
  return { ...given, variables: Object.fromEntries(newest) };
}

function withLists(given: Members, changes: Readonly<Record<string, (item: Members) => Members>>): Members {
  const lists = Object.entries(changes).flatMap(([name, change]) => {
    const list = given[name];
    return Array.isArray(list)
      ? [[name, list.filter(saysSomething).map((item) => (isJsonObject(item) ? change(item) : item))]]
      : [];
  });
  return { ...given, ...Object.fromEntries(lists) };
}

/** False for the empty item of a template, which some files keep. */
function saysSomething(item: unknown): boolean {
  return !isJsonObject(item) || Object.keys(item).length > 0;
}

/** If a file has both spellings, the newer one counts. */
function renamed(given: Members): Members {
  const entries = Object.entries(given).filter(([name]) => {
    const newest = Object.hasOwn(RENAMED, name) ? RENAMED[name] : undefined;
    return newest === undefined || !Object.hasOwn(given, newest);
  });
  return Object.fromEntries(
    entries.map(([name, value]) => [Object.hasOwn(RENAMED, name) ? RENAMED[name] : name, value]),
  );
}
