import type { Context } from '../../context/context.ts';
import type { Tx } from '../../database/store.ts';
import { found, notFound } from '../../errors.ts';
import { type Change, recordChange, relatedResource } from '../../events/record-change.ts';
import { newId } from '../../values/id.ts';
import { type JsonText, jsonTextOf, parseObject } from '../../values/json.ts';
import {
  type ArtifactRow,
  artifacts,
  type CollectionRow,
  collections,
  findNewestArtifact,
  insertArtifactRow,
  upsertCollectionRow,
} from './queries.ts';
import type { ArtifactUpdate } from './schema.ts';

export const MISSING = 'Artifact not found.';

/** Stored characters of a value of `metadata_`. */
const MAX_METADATA_LENGTH = 500;
/** Largest event in bytes. As on the reference, a larger event is not recorded. */
const MAX_EVENT_PAYLOAD_BYTES = 1_500_000;

/** The fields of a new artifact; absent ones are null. */
type NewArtifact = {
  readonly [Field in 'key' | 'type' | 'description' | 'data' | 'metadata_' | 'flow_run_id' | 'task_run_id']?:
    | ArtifactRow[Field]
    | undefined;
};

export function createArtifact(context: Context, input: NewArtifact): Promise<ArtifactRow> {
  return context.transaction((tx) => insertArtifact(context, tx, input, false));
}

/**
 * Inserts the result of a run as an artifact. As on the reference, the collection of its key keeps fields that the
 * result omits, such as the task run of the previous result.
 */
export async function insertResultArtifact(context: Context, tx: Tx, input: NewArtifact): Promise<void> {
  await insertArtifact(context, tx, input, true);
}

/** Inserts an artifact and, if it has a key, makes it the latest of that key. */
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
  await tx.run(insertArtifactRow, artifact);
  if (artifact.key !== null) {
    const id = newId();
    const latest = { ...artifact, id, key: artifact.key, latest_id: artifact.id };
    const collection = await upsertCollectionRow(tx, latest, inPart);
    await recordCollectionEvent(context, tx, collection.id === id ? 'created' : 'updated', collection);
  }
  return artifact;
}

/**
 * Changes the given fields, also in the collection if this is the latest artifact of its key. It records no event.
 * Throws NotFound.
 */
export function updateArtifact(context: Context, id: string, input: ArtifactUpdate): Promise<void> {
  const { data, description, metadata_ } = input;
  const metadata = metadata_ === undefined ? undefined : shortened(metadata_);
  const change = { updated: context.now, data, description, metadata_: metadata };
  return context.transaction(async (tx) => {
    if ((await artifacts.changeAll(tx, { id }, change)) === 0) notFound(MISSING);
    await collections.changeAll(tx, { latest_id: id }, change);
  });
}

/**
 * Deletes an artifact. If it was the latest of its key, the one before it replaces it in the collection, with its
 * times; without one, the collection is deleted. Throws NotFound.
 */
export function deleteArtifact(context: Context, id: string): Promise<void> {
  return context.transaction(async (tx) => {
    const { key } = found(await artifacts.remove(tx, { id }), MISSING);
    if (key === null) return;
    // This changes nothing: an update locks the row on both databases.
    const collection = await collections.change(tx, { key, latest_id: id }, { latest_id: id });
    if (!collection) return;
    const newest = await tx.first(findNewestArtifact, { key });
    const promoted = newest && (await collections.change(tx, { id: collection.id }, contentOf(newest)));
    if (promoted) return recordCollectionEvent(context, tx, 'updated', promoted);
    await collections.removeAll(tx, { id: collection.id });
    await recordCollectionEvent(context, tx, 'deleted', collection);
  });
}

/** The columns of a collection whose latest artifact is this one. */
function contentOf({ workspace: _, key: __, id: latest_id, ...content }: ArtifactRow) {
  return { ...content, latest_id };
}

/** Cuts long values and leaves the rest unchanged. */
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
  change: Change,
  { id, key, latest_id, type, description, data, flow_run_id, task_run_id }: CollectionRow,
): Promise<void> {
  const text = (value: string | null) => JSON.stringify(value);
  const payload = `{"key":${text(key)},"type":${text(type)},"data":${data ?? 'null'},"description":${text(description)}}`;
  if (payload.length * 3 > MAX_EVENT_PAYLOAD_BYTES && Buffer.byteLength(payload) > MAX_EVENT_PAYLOAD_BYTES) {
    context.server.logger.warn({ artifact_key: key }, 'an artifact is too large for an event');
    return;
  }
  const related = [
    relatedResource('artifact', latest_id, 'latest'),
    ...(flow_run_id === null ? [] : [relatedResource('flow-run', flow_run_id)]),
    ...(task_run_id === null ? [] : [relatedResource('task-run', task_run_id)]),
  ];
  const collection = { id, name: key };
  await recordChange(context, tx, 'artifact-collection', change, collection, payload as JsonText, related);
}
