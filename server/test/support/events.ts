/** Events as clients send them. */
import { newId } from '../../src/values/id.ts';
import { systemClock } from '../../src/values/time.ts';

export interface EventOptions {
  readonly id?: string;
  readonly occurred?: string;
  readonly event?: string;
  readonly resource?: Record<string, string>;
  readonly related?: readonly Record<string, string>[];
  readonly payload?: Record<string, unknown>;
}

export function clientEvent({ event = 'door.opened', resource, ...given }: EventOptions = {}) {
  return {
    id: newId(),
    occurred: systemClock.now() as string,
    event,
    resource: { 'prefect.resource.id': 'door.front', ...resource },
    related: [] as readonly Record<string, string>[],
    payload: {} as Record<string, unknown>,
    ...given,
  };
}

export function related(id: string, role: string, labels: Record<string, string> = {}): Record<string, string> {
  return { 'prefect.resource.id': id, 'prefect.resource.role': role, ...labels };
}

export interface StateOptions extends EventOptions {
  readonly type?: string;
  readonly taskRunId?: string;
  readonly flowRunId?: string | null;
  readonly taskKey?: string;
  readonly dynamicKey?: string;
  /** Overrides for the payload's fields of the run and of the state. */
  readonly run?: Record<string, unknown>;
  readonly state?: Record<string, unknown>;
}

/** The event with which a client reports a state of a task run. The same `taskRunId` gives the same keys. */
export function stateEvent({
  type = 'RUNNING',
  taskRunId = newId(),
  flowRunId = null,
  taskKey = `key-${taskRunId}`,
  dynamicKey = '0',
  run,
  state,
  ...event
}: StateOptions = {}) {
  const name = type.charAt(0) + type.slice(1).toLowerCase();
  return clientEvent({
    event: `prefect.task-run.${name}`,
    resource: { 'prefect.resource.id': `prefect.task-run.${taskRunId}`, 'prefect.orchestration': 'client' },
    related: flowRunId === null ? [] : [related(`prefect.flow-run.${flowRunId}`, 'flow-run')],
    payload: {
      intended: { from: null, to: type },
      initial_state: null,
      validated_state: { type, name, message: '', state_details: {}, data: null, ...state },
      task_run: { name: 'add-1', task_key: taskKey, dynamic_key: dynamicKey, tags: [], run_count: 1, ...run },
    },
    ...event,
  });
}
