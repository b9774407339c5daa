/**
 * Spellings of an address that a proxy between a client and a server, a framework or a careless check of a credential
 * may take for another address.
 */

/** What a suffix must not turn a refused address into: public addresses, and files that a proxy serves to everybody. */
const PUBLIC_NAMES = ['health', 'ready', 'v0/docs', 'v0/openapi.json', 'index.html', 'favicon.ico'];
const FILE_ENDINGS = ['.json', '.css', '.js', '.html', '.svg', '.ico', '.map', '.xml', '~'];
/** Each leads from a folder to its parent for some reader, before the `/` or `%2f` that follows. */
const PARENTS = [
  ...['..', '%2e%2e', '.%2e', '%2e.', '%252e%252e', '..;', '..;x=y', '..%00', '..%20', '...', '....'],
  ...['%c0%ae%c0%ae', '%uff0e%uff0e', '%u002e%u002e', '%ef%bc%8e%ef%bc%8e', '..%09', '..%0d', '%5c..'],
];
/** Each is a `/` for some reader. */
const SLASHES = [
  ...['//', '/./', '/%2e/', '/;/', '/ /', '/%20/', '/%2f', '%2f', '%252f', '%5c', '\\', '%255c', '%c0%af'],
  ...['%e0%80%af', '%u002f', '%uff0f', '%ef%bc%8f', '%e2%81%84', '%e2%88%95', '%%32%66'],
];
/** Characters that a reader may cut off, skip or take for the end of the path. */
const CHARACTERS = [
  ...['%00', '%01', '%08', '%09', '%0a', '%0b', '%0c', '%0d', '%0d%0a', '%1f', '%20', '%7f', '%85', '%a0', '%ad'],
  ...['%ff', '%fe%ff', '%c2%a0', '%e2%80%8b', '%ef%bb%bf', '%ed%a0%80', '%2500', '%252e', '%26', '%3d', '%40', '%25'],
  ...['%', '%z', '%zz', '%u0000', '!', '$', '&', "'", '(', ')', '*', '+', ',', ':', ':80', '=', '@', '|', '^', '`'],
  ...['"', '<', '>', '{', '}', '[', ']', '.', '::$DATA', ';', ';x=y', ';jsessionid=1', '%3b', '%3bx=y'],
];
const QUERIES = [
  ...['?/health', '?/../health', '?x=/api/health', '??', '?%00', '?;/health', '?_method=GET', '?method=OPTIONS'],
  ...['?access_token=x', '?token=x', '?key=x', '?public=true', '#/health', '%23/health', '%3f/health', '%3fhealth'],
];
const LAST_PARTS = ['/.', '/..', '/*', '/%2a', '/0', '/-1', '/null', '/%00', '/%20', '/{id}', '/~', '/%2f', '//'];

/** At least 200, all different. `address` begins with a folder, as in `/api/flows/`. */
export function spellings(address: string): string[] {
  const [, root = '', ...names] = address.split('/');
  const rest = names.join('/');
  return [
    ...new Set([
      ...suffixesOf(address),
      ...prefixesOf(root, rest),
      ...FOREIGN_ROOTS.map((root) => root + address),
      ...lettersOf(address, root, rest),
    ]),
  ].filter((spelling) => spelling !== address);
}

function suffixesOf(address: string): string[] {
  const suffixes = [
    ...PUBLIC_NAMES.map((name) => `/${name}`),
    ...['/health/', '/ready/', '/HEALTH', ';/health', '%2fhealth', '%5chealth', '\\..\\health', '%00/health'],
    ...PARENTS.flatMap((parent) => [`/${parent}/health`, `/${parent}%2fhealth`]),
    ...FILE_ENDINGS.flatMap((ending) => [ending, `;${ending}`, `%00${ending}`]),
    ...CHARACTERS,
    ...QUERIES,
    ...LAST_PARTS,
  ];
  return suffixes.map((suffix) => address + suffix);
}

function prefixesOf(root: string, rest: string): string[] {
  const prefixes = [
    ...PARENTS.flatMap((parent) => [`/${parent}/`, `/health/${parent}/`]),
    ...['/health//', '/ready/../', '/v0/../', '/v0/session/../../', '/docs/../', '/api/', '/accounts/../'],
    ...[`/accounts/${ID}/../../`, `/accounts/${ID}/workspaces/${ID}/`, `/accounts/${ID}/workspaces/${ID}/../../../../`],
    ...[`/accounts/${ID}/workspaces/${ID}/health/../`, '/accounts//workspaces//'],
    ...SLASHES,
  ];
  return prefixes.map((prefix) => `/${root}${prefix}${rest}`);
}

const ID = '00000000-0000-4000-8000-000000000000';

/** What may stand before an address, from nothing that counts to folders that are public. */
const FOREIGN_ROOTS = [
  ...['/', '//', '/.', '/%2e', '/;', '/x/..', '/..', '/health', '/ready', '/api/health', '/api/v0'],
  ...['/docs', '/servers', '/sign-in', '/openapi.json', '/ui-settings', '/assets', '/assets/..', '/%2f', '/%00'],
];

/** The same letters in another case, escaped, escaped twice, or with other separators. */
function lettersOf(address: string, root: string, rest: string): string[] {
  const separators = ['%2f', '%5c', '\\', ';/', ';x=y/', './', '%20/', '%00/', '%23/', '%3f/'];
  return [
    address.toUpperCase(),
    ...spelledOtherwise(root).map((name) => `/${name}/${rest}`),
    ...spelledOtherwise(rest).map((name) => `/${root}/${name}`),
    ...separators.map((separator) => `/${root}${separator}${rest}`),
    ...['//', '/./', '/;/', '/%2f', '/%252f'].map((slash) => address.replaceAll('/', slash)),
    address.replace(/\/([^/]*)$/, '\\$1'),
  ];
}

/** The first letter escaped, escaped twice, wide or a capital, or all letters capitals. */
function spelledOtherwise(name: string): string[] {
  const code = name.charCodeAt(0);
  const firsts = [
    `%${code.toString(16)}`,
    `%25${code.toString(16)}`,
    encodeURIComponent(String.fromCodePoint(0xfee0 + code)),
  ];
  return [...firsts, name.slice(0, 1).toUpperCase()].map((first) => first + name.slice(1)).concat(name.toUpperCase());
}
