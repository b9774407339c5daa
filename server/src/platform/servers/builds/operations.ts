import type { OrganizationContext } from '../../../context/platform-context.ts';
import type { PlatformTx } from '../../../database/store.ts';
import { found, NamedConflict, TooManyRequests, ValidationFailed } from '../../../errors.ts';
import { type BuildRow, serverBuilds } from '../../../mcp/hosting/builds/queries.ts';
import { commandWords } from '../../../mcp/hosting/launch/command-words.ts';
import { exactVersion, packageProblem } from '../../../mcp/hosting/launch/packages.ts';
import { listVariables } from '../../../mcp/hosting/launch/queries.ts';
import { type BuildSource, namesThisMachine } from '../../../mcp/hosting/launch/source.ts';
import { readVariables } from '../../../mcp/hosting/launch/stored-launch.ts';
import { counted } from '../../../values/counted.ts';
import { newTimeOrderedId } from '../../../values/id.ts';
import { jsonTextOf } from '../../../values/json.ts';
import { checkOperator } from '../../operators.ts';
import { audit } from '../server/audit.ts';
import { checkHosting } from '../server/hosted-access.ts';
import type { ServerRow } from '../server/queries.ts';
import { countQueued, lockOrganization, serverUploads } from './queries.ts';
import type { BuildCreate, SourceWrite } from './schema.ts';

export const MISSING = 'Build not found.';

/**
 * Queues a build with the current variables. Editors build code that they provide; only operators build from programs
 * and folders of the machine. Throws Forbidden for others, and if hosting is off.
 */
export async function requestBuild(
  context: OrganizationContext,
  owner: ServerRow,
  given: BuildCreate,
): Promise<BuildRow> {
  checkHosting(context);
  const source = sourceOf(given.source);
  if (namesThisMachine(source)) await checkOperator(context, 'Commands, folders and file: repositories are built');
  return context.transaction(async (tx) => {
    if (source.kind === 'archive') {
      const upload = await serverUploads.first(tx, { server_id: owner.id, id: source.uploadId });
      if (!upload?.stored) {
        const msg = upload ? 'The bytes of this upload have not arrived yet.' : 'There is no such upload.';
        throw new ValidationFailed([{ type: 'value_error', loc: ['body', 'source', 'uploadId'], msg }]);
      }
    }
    return queueBuild(context, tx, owner, { ...given, source });
  });
}

/** Queues a build as a part of a larger change, for a source that the caller may use. */
export async function queueBuild(
  context: OrganizationContext,
  tx: PlatformTx,
  owner: ServerRow,
  { source, entrypoint, dependencyPath, deploy }: Omit<BuildCreate, 'source'> & { readonly source: BuildSource },
): Promise<BuildRow> {
  const { now, caller, server } = context;
  await checkQueue(context, tx, owner);
  const variables = readVariables(server.encryption, await tx.all(listVariables, { server_id: owner.id }));
  const row = await serverBuilds.insert(tx, {
    id: newTimeOrderedId(),
    created: now,
    server_id: owner.id,
    actor_name: caller.actor.name,
    state: 'queued',
    source: jsonTextOf(source),
    entrypoint,
    dependency_path: dependencyPath,
    promote: deploy,
    encrypted_environment: server.encryption.encrypt(JSON.stringify(variables)),
    claimed_until: null,
    cancel_requested: false,
    started: null,
    finished: null,
    error: null,
    launch: null,
    resolved: null,
  });
  await audit(context, tx, 'build', owner, { buildId: row.id, source, deploy });
  tx.afterCommit(() => {
    server.hub.tell('work', 'builds', undefined);
    server.hub.tell('activity', owner.id, 'server_build');
  });
  return row;
}

/** Seconds after which a build may have ended. */
const RETRY_SECONDS = 30;

/**
 * Refuses a build while the organization has the largest number of waiting ones. The lock keeps others from queueing a
 * build during the count.
 */
async function checkQueue({ server }: OrganizationContext, tx: PlatformTx, owner: ServerRow): Promise<void> {
  const { queuedBuilds } = server.config.hostingCeilings;
  await tx.first(lockOrganization, { id: owner.organization_id });
  const waiting = (await tx.first(countQueued, { organization_id: owner.organization_id }))?.count ?? 0;
  if (Number(waiting) < queuedBuilds) return;
  throw new TooManyRequests(
    `${counted(waiting, 'build')} of the organization already ${waiting === 1 ? 'waits' : 'wait'}, the most that SIGNALBOX_HOSTING_QUEUED_BUILDS allows.`,
    RETRY_SECONDS,
  );
}

/** 409 `build_ended`. */
export async function cancelBuild(context: OrganizationContext, owner: ServerRow, id: string): Promise<BuildRow> {
  const place = { server_id: owner.id, id };
  return context.transaction(async (tx) => {
    // A build that waits is canceled at once. One that runs is canceled by the replica that runs it.
    const canceled = { state: 'canceled', finished: context.now, encrypted_environment: null };
    const asked = { cancel_requested: true };
    const changed =
      (await serverBuilds.changeAll(tx, { ...place, state: 'queued' }, { ...canceled, ...asked })) +
      (await serverBuilds.changeAll(tx, { ...place, state: 'building' }, asked));
    const row = found(await serverBuilds.first(tx, place), MISSING);
    if (changed === 0) throw new NamedConflict('build_ended', `This build is already ${row.state}.`);
    await audit(context, tx, 'build.cancel', owner, { buildId: id });
    tx.afterCommit(() => context.server.hub.tell('activity', owner.id, 'server_build'));
    return row;
  });
}

function sourceOf(given: SourceWrite): BuildSource {
  if (given.kind === 'git' && (given.commit === undefined) === (given.ref === undefined)) {
    const msg = given.ref === undefined ? 'A commit, branch or tag is needed.' : 'Either a commit or a ref is needed.';
    throw new ValidationFailed([{ type: 'value_error', loc: ['body', 'source', 'ref'], msg }]);
  }
  if (given.kind === 'package') {
    const fault = packageProblem(given);
    if (fault) {
      const loc = ['body', 'source', fault.field];
      throw new ValidationFailed([{ type: 'value_error', loc, msg: `The ${fault.field} ${fault.problem}.` }]);
    }
    const version = given.version === null ? null : (exactVersion(given.registryType, given.version) ?? null);
    return { ...given, version };
  }
  if (given.kind !== 'command') return given;
  const command = typeof given.command === 'string' ? (commandWords(given.command) ?? []) : given.command;
  return { kind: 'command', command, workingDirectory: given.workingDirectory };
}
