/**
 * The servers in the settings of an MCP client (`mcp.json`, `claude_desktop_config.json` and their kind), in the form
 * of a registry file. Sources: modelcontextprotocol.io/docs/develop/connect-local-servers; code.visualstudio.com, "MCP
 * configuration reference"; the settings of Cursor, Windsurf, Cline, Gemini and Zed.
 */
import { isJsonObject } from '../../../values/json.ts';
import { runnerOf } from './client-commands.ts';
import { type Inputs, opened, openedText } from './client-placeholders.ts';
import type { Input } from './registry-file.ts';
import { type Place, refuse } from './values.ts';

type Members = Readonly<Record<string, unknown>>;

/** The members in which clients keep their servers. */
const MEMBERS: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['mcp', 'servers'],
  ['context_servers'],
  ['mcp.servers'],
];
const ADDRESSES = ['url', 'serverUrl', 'httpUrl'] as const;
const TYPES = ['type', 'transport', 'transportType'] as const;
const READ: readonly string[] = [...ADDRESSES, ...TYPES, 'headers', 'command', 'args', 'env'];

export interface ClientSettings {
  /** Path of the object whose members are servers; undefined if the file is one server. */
  readonly path: readonly string[] | undefined;
  readonly servers: Members;
  /** The inputs that VS Code requests from the person. */
  readonly inputs: Inputs;
}

/** Undefined for a file of another kind. */
export function clientSettingsIn(file: Members): ClientSettings | undefined {
  for (const path of MEMBERS) {
    const servers = path.reduce<unknown>((value, name) => (isJsonObject(value) ? value[name] : undefined), file);
    if (isJsonObject(servers)) return { path, servers, inputs: inputsOf(file) };
  }
  // One server alone, or several without the surrounding member, as many projects document them.
  if (isServer(file)) return { path: undefined, servers: { server: file }, inputs: new Map() };
  const values = Object.values(file);
  const isMap = values.length > 0 && values.every((value) => isJsonObject(value) && isServer(value));
  return isMap ? { path: [], servers: file, inputs: new Map() } : undefined;
}

function isServer(value: Members): boolean {
  return ['command', ...ADDRESSES].some((member) => typeof value[member] === 'string');
}

/** Source: code.visualstudio.com, "MCP configuration reference", input variables. */
function inputsOf(file: Members): Inputs {
  const within = isJsonObject(file.mcp) ? file.mcp.inputs : undefined;
  const list = Array.isArray(file.inputs) ? file.inputs : Array.isArray(within) ? within : [];
  return new Map(
    list.filter(isJsonObject).map((input) => [
      String(input.id),
      {
        ...(typeof input.description === 'string' ? { description: input.description } : {}),
        ...(typeof input.default === 'string' ? { default: input.default } : {}),
        ...(Array.isArray(input.options) ? { choices: input.options.map(optionOf) } : {}),
        isSecret: input.password === true,
      },
    ]),
  );
}

function optionOf(option: unknown): string {
  return isJsonObject(option) ? String(option.value) : String(option);
}

interface ClientServer {
  /** The content of a registry file about the same server: one remote or one package. */
  readonly file: Members;
  /** Members that have no effect. */
  readonly leftOut: readonly string[];
}

/** Throws NamedRefusal for a server that is not started as a package. */
export function clientServer(name: string, server: Members, inputs: Inputs, place: Place): ClientServer {
  const leftOut = Object.keys(server).filter((member) => !READ.includes(member));
  const address = ADDRESSES.map((member) => server[member]).find((value) => typeof value === 'string');
  if (typeof address === 'string') {
    const type = transportOf(server, address);
    return { file: remoteFile(name, { type, address, headers: server.headers }, inputs), leftOut };
  }
  if (typeof server.command !== 'string') {
    refuse('no_remote', place, 'The server has neither an address nor a command.');
  }
  const args = Array.isArray(server.args) ? server.args.map(String) : [];
  const found = runnerOf(server.command, args, place);
  const environment = isJsonObject(server.env) ? Object.entries(server.env) : [];
  if (found.kind === 'remote') {
    const entered = environment.map(([variable, value]): [string, Input] => [
      variable,
      { ...opened(String(value ?? ''), inputs), isSecret: true },
    ]);
    const file = remoteFile(name, { ...found, type: transportOf({}, found.address) }, new Map([...inputs, ...entered]));
    return { file, leftOut: [...leftOut, ...found.leftOut.map((option) => `args.${option}`)] };
  }
  const packaged = {
    registryType: found.registry,
    ...found.package,
    runtimeArguments: found.runnerWords.map((value) => ({ type: 'positional', value })),
    packageArguments: found.words.map((word) => ({ type: 'positional', ...opened(word, inputs) })),
    environmentVariables: environment.map(([variable, value]) => ({
      name: variable,
      ...opened(String(value ?? ''), inputs),
      isSecret: true,
    })),
  };
  return { file: { name, packages: [packaged] }, leftOut };
}

interface RemoteOf {
  readonly type: string;
  readonly address: string;
  readonly headers: unknown;
}

function remoteFile(name: string, { type, address, headers }: RemoteOf, inputs: Inputs): Members {
  const { value: url, variables } = openedText(address, inputs);
  const entries = isJsonObject(headers) ? Object.entries(headers) : [];
  const remote = {
    type,
    url,
    variables,
    headers: entries.map(([header, value]) => ({
      name: header,
      ...opened(String(value ?? ''), inputs),
      isSecret: true,
    })),
  };
  return { name, remotes: [remote] };
}

/**
 * Clients that support both transports detect which one it is; by convention, an address that ends with `/sse` is the
 * older one.
 */
function transportOf(server: Members, address: string): string {
  const said = TYPES.map((member) => server[member]).find((value) => typeof value === 'string');
  if (typeof said === 'string') return /^(streamable[-_]?)?http$/i.test(said) ? 'streamable-http' : said.toLowerCase();
  return /\/sse\/?$/.test(address) ? 'sse' : 'streamable-http';
}
