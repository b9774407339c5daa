/** Reads and changes the time for which a workspace keeps its rows. */
import type { OrganizationContext } from '../../context/platform-context.ts';
import { ValidationFailed } from '../../errors.ts';
import { deployments } from '../../orchestration/lookups/deployments.ts';
import { serverSeconds } from '../../orchestration/retention/kept.ts';
import { findRules, putRules, type RetentionRules } from '../../orchestration/retention/rules.ts';
import { auditIn } from '../audit/record.ts';
import type { WorkspaceRow } from './queries.ts';
import type { Retention, RetentionPut } from './retention-schema.ts';

const audit = auditIn('workspace');

export async function readRetention({ server }: OrganizationContext, { key }: WorkspaceRow): Promise<Retention> {
  return answerOf(server, await findRules(server.store.reads(key)));
}

/** Throws ValidationFailed for a time that is longer than the server allows, and for an unknown deployment. */
export async function putRetention(
  context: OrganizationContext,
  row: WorkspaceRow,
  given: RetentionPut,
): Promise<Retention> {
  const { server } = context;
  const longest = longestOf(server);
  for (const field of ['eventSeconds', 'logSeconds', 'flowRunSeconds'] as const) {
    checkWithin([field], given[field], longest[field], 'the server');
  }
  const logSeconds = given.logSeconds ?? longest.logSeconds;
  given.deployments.forEach((one, index) => {
    checkWithin(['deployments', index, 'logSeconds'], one.logSeconds, logSeconds, 'the workspace');
  });
  await server.store.transaction(row.key, async (tx) => {
    for (const [index, { deploymentId }] of given.deployments.entries()) {
      if (await deployments.first(tx, { id: deploymentId })) continue;
      invalid(['deployments', index, 'deploymentId'], 'The workspace has no deployment with this id.');
    }
    await putRules(tx, given);
    await audit(context, tx, 'retention', row, given);
  });
  return answerOf(server, given);
}

type Times = Retention['server'];

function longestOf(server: OrganizationContext['server']): Times {
  return {
    eventSeconds: serverSeconds(server, 'events') ?? null,
    logSeconds: serverSeconds(server, 'logs') ?? null,
    flowRunSeconds: serverSeconds(server, 'flow_runs') ?? null,
  };
}

function answerOf(server: OrganizationContext['server'], rules: RetentionRules): Retention {
  return { ...rules, deployments: [...rules.deployments], server: longestOf(server) };
}

function checkWithin(at: (string | number)[], seconds: number | null, longest: number | null, keeper: string): void {
  if (seconds === null || longest === null || seconds <= longest) return;
  invalid(at, `Must be at most ${longest}: ${keeper} keeps them no longer.`);
}

function invalid(at: (string | number)[], msg: string): never {
  throw new ValidationFailed([{ loc: ['body', ...at], msg, type: 'value_error' }]);
}
