import { ConfigError } from '../errors.ts';
import { ROLES } from '../identity/access/access.ts';
import { normalEmail } from '../identity/people/email-address.ts';
import { organizationPath } from './api.ts';
import { type Command, type Flags, needed, neededOwner, print, printList } from './command.ts';

export const organizationCommands: readonly Command[] = [
  {
    words: 'organizations create',
    says: 'Create an organization. With --context you become its administrator.',
    flags: ['slug', 'name?', 'admin?', 'context?'],
    json: true,
    async ask(flags, json, api) {
      const slug = needed(flags, 'slug');
      const { name = slug, admin } = flags;
      if (!api.operating && admin !== undefined) {
        throw new ConfigError('With --context you become the administrator: omit --admin.');
      }
      const made = await api.send('POST', '/organizations', { slug, name, ...(admin && { admin }) });
      const ruler = api.operating ? admin && ` with the administrator ${admin}` : ' with you as its administrator';
      print(json, made, `Created the organization ${slug}${ruler ?? ''}.`);
    },
  },
  {
    words: 'organizations update',
    says: 'Edit the name of an organization, or the maximum age of the API keys that it accepts.',
    flags: ['slug', 'name?', 'max-key-age-days?', 'context?'],
    json: true,
    async ask(flags, json, api) {
      const slug = needed(flags, 'slug');
      print(
        json,
        await api.send('PATCH', organizationPath(slug), changesOf(flags)),
        `Changed the organization ${slug}.`,
      );
    },
  },
  {
    words: 'organizations list',
    says: 'List all organizations; with --context, those that you belong to.',
    flags: ['context?'],
    json: true,
    ask: async (_flags, json, api) =>
      printList(json, await api.all('/organizations'), { SLUG: 'slug', NAME: 'name', ID: 'id', CREATED: 'createdAt' }),
  },
];

function changesOf(flags: Flags): { readonly name?: string; readonly maxKeyAgeDays?: number | null } {
  const { name } = flags;
  const days = flags['max-key-age-days'];
  if (days !== undefined && !/^(none|\d{1,9})$/.test(days)) {
    throw new ConfigError(`--max-key-age-days must be a number of days or none, not "${days}".`);
  }
  if (name === undefined && days === undefined) throw new ConfigError('Give --name or --max-key-age-days.');
  return {
    ...(name === undefined ? {} : { name }),
    ...(days === undefined ? {} : { maxKeyAgeDays: days === 'none' ? null : Number(days) }),
  };
}

const pathOf = (organization: unknown, handle: unknown) => `/api/accounts/${organization}/workspaces/${handle}`;

export const workspaceCommands: readonly Command[] = [
  {
    words: 'workspaces create',
    says: 'Create a workspace and print its address.',
    flags: ['handle', 'organization?', 'name?', 'default-role?', 'context?'],
    choices: { 'default-role': ROLES },
    json: true,
    async ask(flags, json, api) {
      const handle = needed(flags, 'handle');
      const { organization = 'default', name = handle, 'default-role': defaultRole = null } = flags;
      const path = pathOf(organization, handle);
      const made = await api.send('POST', organizationPath(organization, '/workspaces'), { handle, name, defaultRole });
      print(json, { ...made, organization, path }, `Created the workspace ${handle} of ${organization} at ${path}.`);
    },
  },
  {
    words: 'workspaces list',
    says: 'List all workspaces, or those of one organization.',
    flags: ['organization?', 'context?'],
    json: true,
    ask: async ({ organization }, json, api) =>
      printList(json, await api.allOf('/workspaces', organization, api.organizations), {
        ORGANIZATION: 'organization',
        HANDLE: 'handle',
        NAME: 'name',
        'DEFAULT ROLE': ({ defaultRole }) => defaultRole ?? 'none',
        ADDRESS: (one) => pathOf(one['organization'], one['handle']),
      }),
  },
  {
    words: 'workspaces grant',
    says: 'Give a person or a service account a role (viewer, editor or admin) in a workspace.',
    flags: ['role', 'user?', 'service-account?', 'workspace?', 'organization?', 'context?'],
    choices: { role: ROLES },
    json: true,
    async ask(flags, json, api) {
      const role = needed(flags, 'role', ': viewer, editor or admin');
      const owner = neededOwner(flags);
      const { organization = 'default', workspace = 'default' } = flags;
      const missing = `"${organization}" has no workspace "${workspace}". "signalbox workspaces list" lists them.`;
      const place = await api.named('/workspaces', organization, 'handle', workspace, missing);
      const actor = 'user' in owner ? normalEmail(owner.user) : owner.serviceAccount;
      const path = await ('user' in owner
        ? api.named('/members', organization, 'email', actor, `"${organization}" has no member ${actor}.`)
        : api.accountPath(organization, actor));
      await api.send('PUT', `${place}/grants/${path.split('/').at(-1)}`, { role });
      print(json, { organization, workspace, actor, role }, `${actor} is now ${role} of the workspace ${workspace}.`);
    },
  },
];
