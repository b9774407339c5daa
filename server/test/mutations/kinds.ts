/** What the changes are about: the files of each kind, and the operators that make sense in them. */
import { globSync } from 'node:fs';
import type { OperatorName } from './operators.ts';

interface Group {
  /** Below `server/src`. */
  readonly files: readonly string[];
  readonly operators: readonly OperatorName[];
}

const logic = [
  'negate a condition',
  'flip a comparison',
  'swap && and ||',
  'drop an element',
  'drop a call',
  'return nothing',
  'return early',
  'be off by one',
] as const;
const sql = [
  'swap asc and desc',
  'swap and and or',
  'drop a not',
  'flip a comparison in SQL',
  'drop a term of a where',
  'drop a where',
] as const;
const schema = [
  'drop an element',
  'drop a not',
  'drop a condition of an index',
  'drop a column of an index',
  'drop a column',
  'drop a constraint',
  'drop a default',
] as const;

export const kinds = {
  rule: [
    {
      files: ['orchestration/runs/states/rules/**/*.ts', 'orchestration/runs/states/*.ts'],
      operators: [...logic, ...sql],
    },
  ],
  filter: [
    {
      files: [
        'orchestration/filters/*.ts',
        'orchestration/{artifacts,automations,blocks,logs,variables}/*filter*.ts',
        'orchestration/runs/history/summable-filter.ts',
        'events/{filter-condition,live-filter,criteria,label-pattern}.ts',
        'http/sockets/filter-message.ts',
        'platform/servers/requests/filter.ts',
      ],
      operators: [...logic, ...sql, 'drop a property'],
    },
  ],
  permission: [
    {
      files: ['identity/access/*.ts', 'platform/**/*access.ts', 'mcp/gateway/decide/*.ts'],
      operators: [...logic, ...sql, 'ask for less'],
    },
    { files: ['**/*routes.ts'], operators: ['ask for less'] },
  ],
  dialect: [
    {
      files: [
        'database/dialect/*.ts',
        'database/lists/filters.ts',
        'database/lists/text-search.ts',
        'database/*/errors.ts',
      ],
      operators: [...logic, ...sql],
    },
  ],
  page: [
    {
      files: ['pages/*.ts', 'platform/**/*page*.ts', 'http/**/*page*.ts', 'network/page-guard.ts'],
      operators: [...logic, 'ask for less', 'drop an attribute', 'drop a part of a page'],
    },
  ],
  stream: [
    {
      files: [
        'http/{sockets/*,answer/event-streams}.ts',
        'events/{event-stream,hub,read-event-frame}.ts',
        'orchestration/**/*socket*.ts',
        'orchestration/work/worker-channel/*.ts',
        'mcp/{protocol,remix,translation}/**/{event,merged,session}-stream.ts',
        'mcp/gateway/return/*.ts',
        'mcp/hosting/host/stdio/*.ts',
        'mcp/upstream/message-reader.ts',
      ],
      operators: logic,
    },
  ],
  migration: [{ files: ['database/migrations/{0*,access-version,orchestration/*}.ts'], operators: schema }],
  policy: [
    {
      files: [
        'mcp/gateway/decide/{policy,policies}.ts',
        'mcp/gateway/stages/*.ts',
        'mcp/quotas/*.ts',
        'identity/targets/target-policy.ts',
        'outbound/guard.ts',
        'orchestration/retention/*.ts',
        'services/old-rows/retention.ts',
        'platform/**/{delete-old,policy-preview}.ts',
        'platform/servers/limits/*.ts',
        'orchestration/runs/rows/*policy.ts',
      ],
      operators: [...logic, ...sql],
    },
  ],
  schedule: [
    {
      files: [
        'schedules/*.ts',
        'services/{scheduler,late-runs,backfills}.ts',
        'orchestration/deployments/{*schedule*,schedules/*}.ts',
        'orchestration/backfills/*.ts',
      ],
      operators: [...logic, ...sql],
    },
  ],
  secret: [
    {
      files: [
        'encryption/*.ts',
        'watching/logger.ts',
        'orchestration/blocks/documents/secret-fields.ts',
        'identity/audit/secret-reads.ts',
      ],
      operators: [...logic, 'show a secret', 'drop a property'],
    },
    {
      files: ['orchestration/{admin,automations,blocks}/**/*.ts', 'http/**/*.ts', 'commands/*.ts', 'platform/**/*.ts'],
      operators: ['show a secret'],
    },
  ],
} satisfies Record<string, readonly Group[]>;

export type Kind = keyof typeof kinds;
export const KINDS = Object.keys(kinds) as Kind[];

export interface Target {
  /** Relative to the repository. */
  readonly file: string;
  readonly operators: readonly OperatorName[];
}

/** The files of a kind in the checkout at `root`, each once, in the same order everywhere. */
export function targetsOf(kind: Kind, root: string): readonly Target[] {
  const targets = new Map<string, Target>();
  for (const { files, operators } of kinds[kind] as readonly Group[]) {
    const found = globSync([...files], { cwd: `${root}/server/src` });
    for (const path of found.filter((name) => !/\.(?:test|gen)\.ts$|schema\.ts$/.test(name)).sort()) {
      const file = `server/src/${path}`;
      if (!targets.has(file)) targets.set(file, { file, operators });
    }
  }
  return [...targets.values()];
}
