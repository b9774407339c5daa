/** An action and its surroundings: the firing, its event and the automation. */
import type { Db } from '../../../database/store.ts';
import type { Resource } from '../../../events/record.ts';
import { isUuid, normalUuid } from '../../../values/id.ts';
import { isJsonObject, type JsonText, parseObject } from '../../../values/json.ts';
import { type AutomationRow, automations } from '../queries.ts';
import type { ActionRow } from './queue.ts';

/** The event that an action concerns, as stored in its firing. */
interface TriggeringEvent {
  readonly id: string;
  readonly resource: Resource;
  readonly related: readonly Resource[];
  readonly text: JsonText;
}

export interface Invocation {
  readonly id: string;
  readonly index: number;
  /** The action from the time of the firing; its fields were checked when it was stored. */
  readonly action: Readonly<Record<string, unknown>>;
  readonly type: string;
  readonly automationId: string;
  /** Undefined when it has been deleted in the meantime. */
  readonly automation: AutomationRow | undefined;
  readonly firing: Readonly<Record<string, unknown>>;
  /** Labels by which the trigger groups events (`for_each`). */
  readonly labels: Resource;
  readonly event: TriggeringEvent | undefined;
}

export async function readInvocation(db: Db, row: ActionRow): Promise<Invocation> {
  const action = parseObject(row.action);
  const firing = parseObject(row.firing);
  return {
    id: row.id,
    index: row.action_index,
    action,
    type: String(action['type']),
    automationId: row.automation_id,
    automation: await automations.first(db, { id: row.automation_id }),
    firing,
    labels: textsOf(firing['triggering_labels']),
    event: row.triggering_event === null ? undefined : eventOf(row.triggering_event),
  };
}

function eventOf(text: JsonText): TriggeringEvent {
  const event = parseObject(text);
  const related = Array.isArray(event['related']) ? event['related'] : [];
  return { id: String(event['id']), resource: textsOf(event['resource']), related: related.map(textsOf), text };
}

function textsOf(value: unknown): Resource {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string')) as Resource;
}

/** The primary resource of an event and the related ones. */
function resourcesOf({ resource, related }: TriggeringEvent): readonly Resource[] {
  return [resource, ...related];
}

/** The id in `prefect.<kind>.<id>`; undefined for a resource of another kind, or when the id is not a UUID. */
export function idOfKind(resourceId: string | undefined, kind: string): string | undefined {
  const prefix = `prefect.${kind}.`;
  if (!resourceId?.startsWith(prefix)) return undefined;
  const id = resourceId.slice(prefix.length);
  return isUuid(id) ? normalUuid(id) : undefined;
}

/** The id of the first resource of a kind that the event names. */
export function firstOfKind(event: TriggeringEvent | undefined, kind: string): string | undefined {
  if (!event) return undefined;
  return resourcesOf(event)
    .map((resource) => idOfKind(resource['prefect.resource.id'], kind))
    .find((id) => id !== undefined);
}
