import type { Context } from '../../context.ts';
import type { Tx } from '../../database/store.ts';
import { NotFound } from '../../errors.ts';
import { type Resource, recordEvent } from '../../events/record.ts';
import { newId, newTimeOrderedId } from '../../id.ts';
import { type JsonText, jsonTextOf, parseObject } from '../../json.ts';
import {
  type ArtifactRow,
  type CollectionRow,
  deleteArtifactRow,
  deleteCollectionRow,
  findNewestArtifact,
  insertArtifactRow,
  lockCollectionOfLatest,
  replaceLatestArtifact,
  updateArtifactRow,
  upsertCollectionRow,
} from './queries.ts';
import type { ArtifactUpdate } from './schema.ts';

/** Characters of a value of `metadata_` that are stored. */
const MAX_METADATA_LENGTH = 500;
/** Bytes. As on the reference, a larger event is not recorded. */
const MAX_EVENT_PAYLOAD_BYTES = 1_500_000;

/** The fields of a new artifact; absent ones are null. */
export type NewArtifact = {
  readonly [Field in 'key' | 'type' | 'description' | 'data' | 'metadata_' | 'flow_run_id' | 'task_run_id']?:
    | ArtifactRow[Field]
    | undefined;
};

export function createArtifact(context: Context, input: NewArtifact): Promise<ArtifactRow> {
  return context.transaction((tx) => insertArtifact(context, tx, input, false));
}

/**
 * Inserts the result of a run as an artifact. As on the reference, the collection of its key keeps the fields that the
 * result leaves out, such as the task run of the result before it.
 */
export async function insertResultArtifact(context: Context, tx: Tx, input: NewArtifact): Promise<void> {
  await insertArtifact(context, tx, input, true);
}

/** Inserts an artifact and, where it has a key, makes it the newest of that key. */
async function insertArtifact(context: Context, tx: Tx, input: NewArtifact, inPart: boolean): Promise<ArtifactRow> {
  const artifact: ArtifactRow = {
    workspace: context.workspace,
    id: newId(),
    created: context.now,
    updated: context.now,
    key: input.key ?? null,
    type: input.type ?? null,
    description: input.description ?? null,
    data: input.data ?? null,
    metadata_: shortened(input.metadata_ ?? null),
    flow_run_id: input.flow_run_id ?? null,
    task_run_id: input.task_run_id ?? null,
  };
  await insertArtifactRow(tx, artifact);
  if (artifact.key !== null) {
    const id = newId();
    const latest = { ...artifact, id, key: artifact.key, latest_id: artifact.id };
    const collection = await upsertCollectionRow(tx, latest, inPart);
    await recordCollectionEvent(context, tx, collection.id === id ? 'created' : 'updated', collection);
  }
  return artifact;
}

/**
 * Changes what is given, also in the collection when this is the newest artifact of its key. It records no event.
 * Throws NotFound.
 */
export function updateArtifact(context: Context, id: string, input: ArtifactUpdate): Promise<void> {
  const { data, description, metadata_ } = input;
  return context.transaction(async (tx) => {
    const found = await updateArtifactRow(tx, id, {
      updated: context.now,
      ...(data === undefined ? {} : { data }),
      ...(description === undefined ? {} : { description }),
      ...(metadata_ === undefined ? {} : { metadata_: shortened(metadata_) }),
    });
    if (!found) throw missingArtifact();
  });
}

/**
 * Deletes an artifact. When it was the newest of its key, the one before it takes its place; without one, the
 * collection is deleted. Throws NotFound.
 */
export function deleteArtifact(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    const artifact = await deleteArtifactRow(tx, id);
    if (!artifact) throw missingArtifact();
    if (artifact.key === null) return;
    const collection = await lockCollectionOfLatest(tx, artifact.key, id);
    if (!collection) return;
    const newest = await findNewestArtifact(tx, artifact.key);
    const promoted = newest && (await replaceLatestArtifact(tx, collection.id, newest));
    if (promoted) return recordCollectionEvent(context, tx, 'updated', promoted);
    await deleteCollectionRow(tx, collection.id);
    await recordCollectionEvent(context, tx, 'deleted', collection);
  });
}

export function missingArtifact(): NotFound {
  return new NotFound('Artifact not found.');
}

/** Cuts long values; the rest stays as it was given. */
function shortened(metadata: JsonText | null): JsonText | null {
  if (metadata === null || metadata.length <= MAX_METADATA_LENGTH) return metadata;
  const values = parseObject(metadata);
  for (const [key, value] of Object.entries(values)) {
    if (typeof value !== 'string' || value.length <= MAX_METADATA_LENGTH) continue;
    const characters = [...value];
    if (characters.length > MAX_METADATA_LENGTH) {
      values[key] = `${characters.slice(0, MAX_METADATA_LENGTH).join('')}...`;
    }
  }
  return jsonTextOf(values);
}

async function recordCollectionEvent(
  context: Context,
  tx: Tx,
  change: 'created' | 'updated' | 'deleted',
  { id, key, latest_id, type, description, data, flow_run_id, task_run_id }: CollectionRow,
): Promise<void> {
  const text = (value: string | null) => JSON.stringify(value);
  const payload = `{"key":${text(key)},"type":${text(type)},"data":${data ?? 'null'},"description":${text(description)}}`;
  if (payload.length * 3 > MAX_EVENT_PAYLOAD_BYTES && Buffer.byteLength(payload) > MAX_EVENT_PAYLOAD_BYTES) {
    context.server.logger.warn({ artifact_key: key }, 'an artifact is too large for an event');
    return;
  }
  const related = (role: string, kind: string, relatedId: string | null): Resource[] =>
    relatedId === null
      ? []
      : [{ 'prefect.resource.id': `prefect.${kind}.${relatedId}`, 'prefect.resource.role': role }];
  await recordEvent(context, tx, {
    id: newTimeOrderedId(),
    occurred: context.now,
    event: `prefect.artifact-collection.${change}`,
    resource: { 'prefect.resource.id': `prefect.artifact-collection.${id}`, 'prefect.resource.name': key },
    related: [
      ...related('latest', 'artifact', latest_id),
      ...related('flow-run', 'flow-run', flow_run_id),
      ...related('task-run', 'task-run', task_run_id),
    ],
    payload: payload as JsonText,
    follows: null,
  });
}
