/** The pages of Prefect's interfaces, and what each must show of the seed. */
import type { Seed } from './seed.ts';

export interface PrefectPage {
  readonly path: string;
  /** The page must contain all of these; case does not matter. */
  readonly shows: readonly string[];
}

/** Both interfaces have the same paths, the older one below the root and the newer one below `/v2`. */
export function prefectPages(seed: Seed, ui: 'v1' | 'v2'): readonly PrefectPage[] {
  const isV1 = ui === 'v1';
  const page = (path: string, ...shows: string[]): PrefectPage => ({ path: (isV1 ? '' : '/v2') + path, shows });
  const pool = '/work-pools/work-pool/seeded-pool';
  return [
    page('/dashboard', 'Dashboard', 'seeded-pool'),
    page('/runs', 'seeded-run', 'seeded-failure'),
    page(`/runs/flow-run/${seed.run}`, 'seeded-run', 'seeded-flow', 'seeded-deployment', 'Completed', 'seeded log'),
    page(`/runs/flow-run/${seed.scheduledRun}`, 'seeded-later', 'Scheduled'),
    page(`/runs/task-run/${seed.taskRun}`, 'seeded-first', 'Completed'),
    page('/flows', 'seeded-flow'),
    page(`/flows/flow/${seed.flow}`, 'seeded-flow', 'seeded-run'),
    page('/deployments', 'seeded-deployment', 'seeded-flow'),
    page(`/deployments/deployment/${seed.deployment}`, 'seeded-deployment', 'seeded-flow', 'seeded-pool'),
    page(`/deployments/deployment/${seed.deployment}/run`, 'Parameters', 'x'),
    page(`/deployments/deployment/${seed.deployment}/edit`, 'seeded-deployment'),
    page(`/deployments/deployment/${seed.deployment}/duplicate`, 'seeded-deployment'),
    page('/work-pools', 'seeded-pool', 'process'),
    page('/work-pools/create', 'Infrastructure', 'Docker', 'Kubernetes'),
    page(pool, 'seeded-pool', 'Work Queues'),
    page(`${pool}/edit`, 'seeded-pool'),
    page(`${pool}/queue/seeded-queue`, 'seeded-queue'),
    page(`${pool}/queue/seeded-queue/edit`, 'seeded-queue'),
    page(`${pool}/queue/create`, 'Priority'),
    page('/blocks', 'seeded-block', 'Secret'),
    page('/blocks/catalog', 'AWS Credentials', 'Secret', 'Slack Webhook'),
    page('/blocks/catalog/aws-credentials', 'AWS Credentials'),
    page('/blocks/catalog/s3-bucket/create', 'S3 Bucket', 'Create'),
    page(`/blocks/block/${seed.block}`, 'seeded-block'),
    page(`/blocks/block/${seed.block}/edit`, 'seeded-block'),
    page('/variables', 'seeded_variable'),
    page('/automations', 'seeded-automation'),
    page('/automations/create', 'Trigger'),
    page(`/automations/automation/${seed.automation}`, 'seeded-automation'),
    page(`/automations/automation/${seed.automation}/edit`, 'Trigger'),
    page('/events', 'Flow run completed', 'seeded'),
    page(`/events/event/${seed.event}`, 'Event'),
    page('/concurrency-limits', 'seeded-limit'),
    isV1
      ? page(`/concurrency-limits/concurrency-limit/${seed.tagLimit}`, 'seeded')
      : page(`/concurrency-limits/concurrency-limit/${seed.tagLimit}`, 'seeded'),
    page('/artifacts', 'seeded-artifact', 'seeded-table'),
    page('/artifacts/key/seeded-artifact', 'seeded-artifact'),
    page(`/artifacts/artifact/${seed.artifact}`, 'Seeded heading'),
    page('/settings', 'Settings', '3.9.1'),
  ];
}
