import type { NewEvent, Resource } from '../../../events/record.ts';
import { relatedResource } from '../../../events/record-change.ts';
import { type JsonText, parseJson, parseObject } from '../../../values/json.ts';
import { secondsBetween, type Timestamp } from '../../../values/time.ts';
import type { State } from '../rows/state.ts';

/** The fields of a state-change event in addition to the states. A name is null when the object does not exist. */
export interface FlowRunSurroundings {
  readonly id: string;
  readonly name: string;
  readonly run_count: number;
  readonly tags: JsonText;
  readonly created_by: JsonText | null;
  readonly flow_id: string;
  readonly flow_name: string;
  readonly flow_tags: JsonText;
  readonly deployment_id: string | null;
  readonly deployment_name: string | null;
  readonly deployment_tags: JsonText | null;
  readonly work_queue_id: string | null;
  readonly queue_name: string | null;
  readonly work_pool_id: string | null;
  readonly work_pool_name: string | null;
  readonly work_pool_type: string | null;
  readonly parent_task_run_id: string | null;
  readonly parent_name: string | null;
  readonly parent_tags: JsonText | null;
}

const MAX_MESSAGE_LENGTH = 100_000;
/** `follows` names the previous event only when it is more recent than this. */
const FOLLOWS_WITHIN_SECONDS = 300;

/** The event of a written state, with the state's id. Source: `POST /events/filter` of the Prefect server 3.9.1. */
export function flowRunStateEvent(run: FlowRunSurroundings, initial: State | undefined, written: State): NewEvent {
  const isRecent =
    initial !== undefined && secondsBetween(initial.timestamp, written.timestamp) < FOLLOWS_WITHIN_SECONDS;
  return {
    id: written.id,
    occurred: written.timestamp,
    event: `prefect.flow-run.${written.name}`,
    resource: {
      'prefect.resource.id': `prefect.flow-run.${run.id}`,
      'prefect.resource.name': run.name,
      'prefect.run-count': String(run.run_count),
      'prefect.state-message': (written.message ?? '').slice(0, MAX_MESSAGE_LENGTH),
      'prefect.state-name': written.name,
      'prefect.state-timestamp': pythonIsoFormat(written.timestamp),
      'prefect.state-type': written.type,
    },
    related: relatedResources(run),
    payload: JSON.stringify({
      // The type after the rules, not the proposed one, which the Prefect server also calls intended.
      intended: { from: initial?.type ?? null, to: written.type },
      initial_state: initial ? describe(initial) : null,
      validated_state: describe(written),
    }) as JsonText,
    follows: isRecent ? initial.id : null,
  };
}

function describe(state: State) {
  return {
    type: state.type,
    name: state.name,
    ...(state.message ? { message: state.message.slice(0, MAX_MESSAGE_LENGTH) } : {}),
    ...(state.type === 'PAUSED' ? { pause_reschedule: String(state.state_details.pause_reschedule) } : {}),
  };
}

function relatedResources(run: FlowRunSurroundings): Resource[] {
  const related: Resource[] = [resource('flow', run.flow_id, run.flow_name)];
  if (run.deployment_id && run.deployment_name !== null) {
    related.push(resource('deployment', run.deployment_id, run.deployment_name));
  }
  if (run.work_queue_id && run.queue_name !== null) {
    related.push(resource('work-queue', run.work_queue_id, run.queue_name));
  }
  if (run.work_pool_id && run.work_pool_name !== null) {
    related.push({
      ...resource('work-pool', run.work_pool_id, run.work_pool_name),
      'prefect.work-pool.type': run.work_pool_type ?? '',
    });
  }
  if (run.parent_task_run_id && run.parent_name !== null) {
    related.push(resource('task-run', run.parent_task_run_id, run.parent_name));
  }
  for (const tag of allTags(run)) related.push(relatedResource('tag', tag));
  const creator = creatorOf(run.created_by);
  if (creator) related.push(creator);
  return related;
}

function resource(kind: string, id: string, name: string): Resource {
  return {
    'prefect.resource.id': `prefect.${kind}.${id}`,
    'prefect.resource.role': kind,
    'prefect.resource.name': name,
  };
}

function allTags(run: FlowRunSurroundings): string[] {
  const lists = [run.tags, run.flow_tags, run.deployment_tags, run.parent_tags];
  const given = lists.filter((list) => list !== null && list !== '[]');
  if (given.length === 0) return [];
  return [...new Set(given.flatMap((list) => parseJson(list as string) as string[]))].sort();
}

const CREATOR_KINDS: Readonly<Record<string, string>> = { AUTOMATION: 'automation', DEPLOYMENT: 'deployment' };

function creatorOf(createdBy: JsonText | null): Resource | undefined {
  if (createdBy === null) return undefined;
  const { id, type, display_value } = parseObject(createdBy) as { id?: string; type?: string; display_value?: string };
  const kind = type && CREATOR_KINDS[type];
  if (!id || !kind) return undefined;
  return {
    'prefect.resource.id': `prefect.${kind}.${id}`,
    'prefect.resource.role': 'creator',
    ...(display_value ? { 'prefect.resource.name': display_value } : {}),
  };
}

/** `2026-11-20T16:11:32.678666+00:00`, without the fraction when it is zero. */
function pythonIsoFormat(timestamp: Timestamp): string {
  const seconds = timestamp.slice(0, 19);
  const fraction = timestamp.slice(20, 26);
  return fraction === '000000' ? `${seconds}+00:00` : `${seconds}.${fraction}+00:00`;
}
