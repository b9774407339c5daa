/** Scenarios skipped with older clients, because these clients cannot run them with any server. */
import { isAtLeast } from '../../src/values/versions.ts';

interface Lack {
  /** The first of `CLIENTS` that can. */
  readonly until: string;
  /** The feature that earlier clients lack. */
  readonly reason: string;
  readonly scenarios: readonly string[];
}

const lacks: readonly Lack[] = [
  {
    until: '3.2.0',
    reason: 'its synchronous client lacks methods for deployments, limits and lists',
    scenarios: [
      'concurrency_limits',
      'flow_run_execute',
      'global_limit_across_processes',
      'idempotency',
      'idempotent_deployment_runs',
      'parameter_schema',
      'pause_for_input',
      'rate_limits',
      'tag_limits_across_processes',
      'tags_and_labels',
    ],
  },
  {
    until: '3.2.0',
    reason: 'it has no `prefect.schedules`',
    scenarios: ['deployment_by_worker', 'served_on_schedule'],
  },
  {
    until: '3.2.0',
    reason: 'it reads no deployment without a work queue',
    scenarios: ['deployment_commands', 'deployment_limits', 'deployment_triggers'],
  },
  {
    until: '3.2.0',
    reason: 'a synchronous hook cannot set a variable',
    scenarios: ['crashing_flow', 'worker_cancels_run'],
  },
  {
    until: '3.2.0',
    reason: 'it drops the events that it cannot send at once',
    scenarios: ['server_killed', 'server_restart'],
  },
  { until: '3.2.0', reason: 'it has no `NO_CACHE`', scenarios: ['caching'] },
  { until: '3.2.0', reason: 'variables have no asynchronous methods of their own', scenarios: ['variables'] },
  { until: '3.2.0', reason: 'the retry delay of a flow is a whole number of seconds', scenarios: ['flow_retries'] },
  {
    until: '3.2.0',
    reason: 'it sends fields with a schedule that the reference server refuses as well',
    scenarios: ['deploy_from_file', 'served_deployment'],
  },
  {
    until: '3.2.0',
    reason: 'it does not read the key that its `cloud login` keeps in the profile',
    scenarios: ['hosted_workspace'],
  },
  { until: '3.4.0', reason: 'its synchronous client has no `count_flow_runs`', scenarios: ['client_reads'] },
  { until: '3.4.0', reason: 'a block that is the default of a field loses its fields', scenarios: ['nested_blocks'] },
  { until: '3.4.0', reason: 'the retry delay of a task is a whole number of seconds', scenarios: ['task_retries'] },
  { until: '3.4.0', reason: 'its runner fails when it cancels a run (TypeError)', scenarios: ['served_deployment'] },
  {
    until: '3.4.0',
    reason: 'states have no `aresult`',
    scenarios: ['concurrent_flow_runs', 'run_input', 'wait_for_flow_run'],
  },
  { until: '3.4.0', reason: 'it has no `ProcessPoolTaskRunner`', scenarios: ['process_pool'] },
  { until: '3.4.0', reason: 'it has no `prefect.assets`', scenarios: ['asset_materialization'] },
  { until: '3.4.0', reason: 'a limit is held without a `lease_duration`', scenarios: ['killed_slot_holder'] },
  { until: '3.4.0', reason: 'its `work-pool inspect` prints no JSON', scenarios: ['work_pool_commands'] },
  { until: '3.4.0', reason: 'it has no `prefect api`', scenarios: ['cli_api'] },
  { until: '3.4.0', reason: 'it has no `prefect events emit`', scenarios: ['cli_events'] },
  { until: '3.6.0', reason: 'it sends no auth string on websockets', scenarios: ['key_as_auth_string'] },
  { until: '3.6.0', reason: 'only runs that a runner started send heartbeats', scenarios: ['zombie_runs'] },
  { until: '3.6.0', reason: 'its automations resume no flow run', scenarios: ['automation_actions'] },
  { until: '3.6.0', reason: 'tasks have no hook `on_running`', scenarios: ['state_hooks'] },
  { until: '3.6.0', reason: 'it has no `prefect automation create`', scenarios: ['automation_commands'] },
  {
    until: '3.6.0',
    reason: 'it has no `prefect flow-run watch` and `retry`',
    scenarios: ['cli_cancel_and_watch', 'cli_retry'],
  },
  {
    until: '3.6.0',
    reason: 'its commands print no JSON (`--output json`)',
    scenarios: [
      'cli_artifacts',
      'cli_blocks',
      'cli_configuration',
      'cli_flow_runs',
      'cli_task_runs',
      'cli_variables',
      'cli_webhooks',
      'concurrency_limit_command',
      'gcl_command',
    ],
  },
];

/** The reason to skip a scenario with this client; undefined when it runs. */
export function lackingIn(version: string, scenario: string): string | undefined {
  return lacks.find(({ until, scenarios }) => !isAtLeast(version, until) && scenarios.includes(scenario))?.reason;
}
