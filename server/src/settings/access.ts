/** Settings of access: who may use the API, and how people sign in. */
import { asText, choice, groupRoleParts, listed, namesIn, oneOf, type Setting } from './setting.ts';

export const accessSettings = {
  apiAuth: {
    name: 'SIGNALBOX_API_AUTH',
    fallback: '',
    description:
      'Who may use /api: open (anyone who can reach it), basic (the user and password of SIGNALBOX_API_AUTH_STRING) or key (API keys whose owner has a role in the default workspace). Empty: basic if SIGNALBOX_API_AUTH_STRING is set, otherwise open.',
    check: (value) => (value === '' ? undefined : oneOf('open', 'basic', 'key')(value)),
  },
  apiAuthString: {
    name: 'SIGNALBOX_API_AUTH_STRING',
    alias: 'PREFECT_SERVER_API_AUTH_STRING',
    fallback: '',
    description: 'user:password for SIGNALBOX_API_AUTH=basic.',
    secret: true,
    check: authStringProblem,
    read: asText,
  },
  allowOpenAccess: {
    name: 'SIGNALBOX_ALLOW_OPEN_ACCESS',
    fallback: 'false',
    description: 'true allows SIGNALBOX_API_AUTH=open on an address that other machines can reach.',
    check: oneOf('true', 'false'),
  },
  organizationCreation: {
    name: 'SIGNALBOX_ORGANIZATION_CREATION',
    fallback: 'operators',
    description:
      'Who may create organizations: operators (administrators of the organization behind /api), everyone (with an account) or nobody.',
    ...choice('operators', 'everyone', 'nobody'),
  },
  allowedHosts: {
    name: 'SIGNALBOX_ALLOWED_HOSTS',
    fallback: '',
    separator: ',',
    description:
      'Host names, separated by commas, that an open server accepts in the Host header. It always accepts IP addresses, names without a dot, host.docker.internal and the host of SIGNALBOX_PUBLIC_URL. MCP servers without authentication use this list in every access mode.',
    check: (value) =>
      listed(value).every((name) => name === '' || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(name))
        ? undefined
        : 'must be names like flows.example, without scheme and port',
    read: (value) => namesIn(value.toLowerCase()),
  },
  allowedOrigins: {
    name: 'SIGNALBOX_ALLOWED_ORIGINS',
    fallback: '',
    separator: ',',
    description:
      'Origins of web pages, separated by commas, that may call an open server from a browser. Origins on this machine and the origin of the server itself always may.',
    check: (value) =>
      listed(value).every((origin) => origin === '' || URL.parse(origin)?.origin === origin)
        ? undefined
        : 'must be origins like https://dashboard.example',
    read: namesIn,
  },
  oauth: {
    name: 'SIGNALBOX_OAUTH',
    fallback: 'on',
    description:
      'Whether people may sign in MCP clients with the browser (OAuth 2.1): on, or off, which leaves API keys. On works at SIGNALBOX_PUBLIC_URL over https; without that setting, only at addresses of this machine, such as http://127.0.0.1:4200.',
    check: oneOf('on', 'off'),
    read: (value) => value === 'on',
  },
  oidcIssuer: {
    name: 'SIGNALBOX_OIDC_ISSUER',
    fallback: '',
    description: 'Issuer URL of the OpenID Connect provider that people sign in with. Empty: no provider.',
    check: (value) =>
      value === '' ||
      /^https:\/\/[^?#]+$/.test(value) ||
      /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?(\/[^?#]*)?$/.test(value)
        ? undefined
        : 'must start with https:// (http:// on this machine only)',
  },
  oidcClientId: {
    name: 'SIGNALBOX_OIDC_CLIENT_ID',
    fallback: '',
    description:
      'Client id of this server at the provider. The redirect URL to register there is <this server>/sign-in/oidc/callback.',
  },
  oidcClientSecret: {
    name: 'SIGNALBOX_OIDC_CLIENT_SECRET',
    fallback: '',
    description: 'Client secret of this server at the provider. Empty: a public client.',
    secret: true,
  },
  oidcLabel: {
    name: 'SIGNALBOX_OIDC_LABEL',
    fallback: 'single sign-on',
    description: 'Text of the sign-in button after "Sign in with".',
  },
  oidcScopes: {
    name: 'SIGNALBOX_OIDC_SCOPES',
    fallback: 'openid email profile',
    separator: ' ',
    description: 'Scopes to request, separated by spaces. openid and email are required.',
    check: (value) =>
      ['openid', 'email'].every((scope) => value.split(' ').includes(scope))
        ? undefined
        : 'must contain openid and email',
  },
  oidcEmailDomains: {
    name: 'SIGNALBOX_OIDC_EMAIL_DOMAINS',
    fallback: '',
    separator: ',',
    description: 'Domains of email addresses, separated by commas, that may sign in through the provider. Empty: all.',
  },
  oidcGroupsClaim: {
    name: 'SIGNALBOX_OIDC_GROUPS_CLAIM',
    fallback: 'groups',
    description:
      'Claim in which the provider lists the groups of a person. Many providers send it only for a scope of its own (SIGNALBOX_OIDC_SCOPES).',
    check: (value) => (/^[\w:/.-]{1,200}$/.test(value) ? undefined : 'must be the name of a claim'),
  },
  oidcGroupRoles: {
    name: 'SIGNALBOX_OIDC_GROUP_ROLES',
    fallback: '',
    separator: ';',
    description:
      'Roles that groups of the provider give, separated by semicolons: <group>=<organization>:<role>, with the role admin or member. In an organization that is named here, each sign-in through the provider sets the role, and removes it from a person without such a group. Empty: groups give no roles.',
    check: (value) =>
      groupRoleParts(value).every((parts) => parts.length === 3)
        ? undefined
        : 'must be like platform-team=default:admin; engineers=default:member',
  },
  oidcNewUsers: {
    name: 'SIGNALBOX_OIDC_NEW_USERS',
    fallback: 'invited',
    description:
      'Who gets an account at the first sign-in through the provider: invited (people whose address has an open invitation) or members (everyone, as a member of the organization behind /api).',
    check: oneOf('invited', 'members'),
  },
} as const satisfies Record<string, Setting>;

/** Clients send the string as the user and password of HTTP, where a colon separates them. Source: RFC 7617. */
function authStringProblem(value: string): string | undefined {
  if (value === '' || /^[^:]*:./s.test(value)) return undefined;
  if (value.startsWith('sbx_')) {
    return 'must be user:password, not an API key. Set SIGNALBOX_API_AUTH=key, leave the string out, and give the key to the client';
  }
  return 'must be user:password: the name of a user, a colon and a password, such as admin:secret';
}
