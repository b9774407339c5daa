import { ConfigError } from '../errors.ts';
import { ROLES } from '../identity/access/access.ts';
import {
  createOrganization,
  createWorkspaceIn,
  grantWorkspace,
  listOrganizations,
  listWorkspaces,
  updateOrganization,
} from '../platform/operator/organizations.ts';
import { type Command, cell, type Flags, needed, neededOwner, operate, print, table } from './command.ts';

export const organizationCommands: readonly Command[] = [
  {
    words: 'organizations create',
    says: 'Create an organization.',
    flags: ['slug', 'name?', 'admin?', 'context?'],
    json: true,
    async remote(flags, json, server) {
      const slug = needed(flags, 'slug');
      if (flags.admin !== undefined)
        throw new ConfigError('With --context you become the administrator: omit --admin.');
      const made = await server.send('POST', '/organizations', { slug, name: flags.name ?? slug });
      print(json, made, `Created the organization ${slug}. You are its administrator.`);
    },
    run(flags, json) {
      const slug = needed(flags, 'slug');
      const { name = slug, admin } = flags;
      return operate(flags, async (context) => {
        const organization = await createOrganization(context, { slug, name, admin });
        const { id } = organization;
        print(
          json,
          { id, slug, name },
          `Created the organization ${slug}${admin ? ` with the administrator ${admin}` : ''}.`,
        );
      });
    },
  },
  {
    words: 'organizations update',
    says: 'Change the name of an organization, or the maximum age of the API keys that it accepts.',
    flags: ['slug', 'name?', 'max-key-age-days?', 'context?'],
    json: true,
    async remote(flags, json, server) {
      const slug = needed(flags, 'slug');
      const changed = await server.send('PATCH', `/organizations/${encodeURIComponent(slug)}`, changesOf(flags));
      print(json, changed, `Changed the organization ${slug}.`);
    },
    run(flags, json) {
      const slug = needed(flags, 'slug');
      const changes = changesOf(flags);
      return operate(flags, async (context) => {
        print(json, await updateOrganization(context, slug, changes), `Changed the organization ${slug}.`);
      });
    },
  },
  {
    words: 'organizations list',
    says: 'List all organizations; with --context, those that you belong to.',
    flags: ['context?'],
    json: true,
    async remote(_flags, json, server) {
      const organizations = await server.all('/organizations');
      const rows = organizations.map(({ slug, name, id, createdAt }) => [slug, name, id, createdAt].map(cell));
      print(json, organizations, table(['SLUG', 'NAME', 'ID', 'CREATED'], rows));
    },
    run: (flags, json) =>
      operate(flags, async (context) => {
        const organizations = await listOrganizations(context);
        const rows = organizations.map(({ id, slug, name, createdAt }) => [slug, name, id, createdAt.slice(0, 16)]);
        print(json, organizations, table(['SLUG', 'NAME', 'ID', 'CREATED'], rows));
      }),
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

export const workspaceCommands: readonly Command[] = [
  {
    words: 'workspaces create',
    says: 'Create a workspace and print its address.',
    flags: ['handle', 'organization?', 'name?', 'default-role?', 'context?'],
    choices: { 'default-role': ROLES },
    json: true,
    async remote(flags, json, server) {
      const handle = needed(flags, 'handle');
      const { organization = 'default', name = handle, 'default-role': defaultRole } = flags;
      const body = { handle, name, ...(defaultRole ? { defaultRole } : {}) };
      const made = await server.send('POST', `/organizations/${encodeURIComponent(organization)}/workspaces`, body);
      print(json, made, `Created the workspace ${handle} of ${organization}.`);
    },
    run(flags, json) {
      const handle = needed(flags, 'handle');
      const { organization = 'default', name = handle, 'default-role': defaultRole } = flags;
      return operate(flags, async (context) => {
        const { id } = await createWorkspaceIn(context, { organization, handle, name, defaultRole });
        const path = `/api/accounts/${organization}/workspaces/${handle}`;
        print(
          json,
          { id, organization, handle, name, path },
          `Created the workspace ${handle} of ${organization} at ${path}.`,
        );
      });
    },
  },
  {
    words: 'workspaces list',
    says: 'List all workspaces, or those of one organization; with --context, those of one organization.',
    flags: ['organization?', 'context?'],
    json: true,
    async remote({ organization = 'default' }, json, server) {
      const workspaces = await server.all(`/organizations/${encodeURIComponent(organization)}/workspaces`);
      const rows = workspaces.map(({ handle, name, defaultRole, id }) =>
        [handle, name, defaultRole ?? 'none', id].map(cell),
      );
      print(json, workspaces, table(['HANDLE', 'NAME', 'DEFAULT ROLE', 'ID'], rows));
    },
    run: (flags, json) =>
      operate(flags, async (context) => {
        const workspaces = await listWorkspaces(context, flags.organization);
        const rows = workspaces.map(({ organization, handle, name, defaultRole }) => [
          organization,
          handle,
          name,
          defaultRole ?? 'none',
          `/api/accounts/${organization}/workspaces/${handle}`,
        ]);
        print(json, workspaces, table(['ORGANIZATION', 'HANDLE', 'NAME', 'DEFAULT ROLE', 'ADDRESS'], rows));
      }),
  },
  {
    words: 'workspaces grant',
    says: 'Give a person or a service account a role (viewer, editor or admin) in a workspace.',
    flags: ['role', 'user?', 'service-account?', 'workspace?', 'organization?'],
    choices: { role: ROLES },
    json: true,
    run(flags, json) {
      const role = needed(flags, 'role', ': viewer, editor or admin');
      const owner = neededOwner(flags);
      const { organization = 'default', workspace = 'default' } = flags;
      return operate(flags, async (context) => {
        await grantWorkspace(context, { organization, handle: workspace }, owner, role);
        const name = 'user' in owner ? owner.user : owner.serviceAccount;
        print(
          json,
          { organization, workspace, actor: name, role },
          `${name} is now ${role} of the workspace ${workspace}.`,
        );
      });
    },
  },
];
