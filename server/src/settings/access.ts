/** Who may use the API, and how people sign in. */
import { listed, oneOf, type Setting } from './setting.ts';

export const accessSettings = {
  apiAuth: {
    name: 'SIGNALBOX_API_AUTH',
    fallback: '',
    description:
      'Who may use /api: open (anyone who reaches it), basic (the user:password of SIGNALBOX_API_AUTH_STRING) or key (API keys of those with a role in the default workspace).',
    check: (value) => (value === '' ? undefined : oneOf('open', 'basic', 'key')(value)),
  },
  apiAuthString: {
    name: 'SIGNALBOX_API_AUTH_STRING',
    alias: 'PREFECT_SERVER_API_AUTH_STRING',
    fallback: '',
    description: 'user:password for the access mode basic.',
    secret: true,
  },
  allowOpenAccess: {
    name: 'SIGNALBOX_ALLOW_OPEN_ACCESS',
    fallback: 'false',
    description: 'true lets the access mode open listen on an address that other machines reach.',
    check: oneOf('true', 'false'),
  },
  organizationCreation: {
    name: 'SIGNALBOX_ORGANIZATION_CREATION',
    fallback: 'operators',
    description:
      'Who may make organizations: operators (administrators of the organization behind /api), everyone (with an account) or nobody.',
    check: oneOf('operators', 'everyone', 'nobody'),
  },
  allowedHosts: {
    name: 'SIGNALBOX_ALLOWED_HOSTS',
    fallback: '',
    description:
      'Names, separated by commas, that a server with open access may be reached by, beside addresses, names without a dot, host.docker.internal and that of SIGNALBOX_PUBLIC_URL; MCP servers without authentication heed it in every mode.',
    check: (value) =>
      listed(value).every((name) => name === '' || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(name))
        ? undefined
        : 'must be names like flows.example, without scheme and port',
  },
  allowedOrigins: {
    name: 'SIGNALBOX_ALLOWED_ORIGINS',
    fallback: '',
    description:
      'Origins of web pages, separated by commas, that may use a server with open access from a browser, beside those of this machine and of the server itself.',
    check: (value) =>
      listed(value).every((origin) => origin === '' || URL.parse(origin)?.origin === origin)
        ? undefined
        : 'must be origins like https://dashboard.example',
  },
  oidcIssuer: {
    name: 'SIGNALBOX_OIDC_ISSUER',
    fallback: '',
    description: 'Identity provider (OpenID Connect) that people may sign in through; empty means none.',
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
      'Name of this server at the identity provider; its redirect address there is <this server>/sign-in/oidc/callback.',
  },
  oidcClientSecret: {
    name: 'SIGNALBOX_OIDC_CLIENT_SECRET',
    fallback: '',
    description: 'Secret of this server at the identity provider; empty for a public client.',
    secret: true,
  },
  oidcLabel: {
    name: 'SIGNALBOX_OIDC_LABEL',
    fallback: 'single sign-on',
    description: 'What the button says after "Sign in with".',
  },
  oidcScopes: {
    name: 'SIGNALBOX_OIDC_SCOPES',
    fallback: 'openid email profile',
    description: 'What the identity provider is asked for; openid and email are needed.',
    check: (value) =>
      ['openid', 'email'].every((scope) => value.split(' ').includes(scope)) ? undefined : 'must hold openid and email',
  },
  oidcEmailDomains: {
    name: 'SIGNALBOX_OIDC_EMAIL_DOMAINS',
    fallback: '',
    description: 'Domains of addresses that may come through the identity provider, with commas; empty means all.',
  },
  oidcNewUsers: {
    name: 'SIGNALBOX_OIDC_NEW_USERS',
    fallback: 'invited',
    description:
      'Who gets an account by signing in through the identity provider: invited (whose address has an open invitation) or members (everyone, as a member of the organization behind /api).',
    check: oneOf('invited', 'members'),
  },
} as const satisfies Record<string, Setting>;
