import type { Context } from '../../context.ts';
import type { Tx } from '../../database/store.ts';
import { isJsonObject, jsonTextOf, parseJson } from '../../json.ts';
import { insertArtifact } from '../artifacts/operations.ts';
import type { State } from './state.ts';

/**
 * Keeps the data of a state as an artifact of its run, unless it says that it was not persisted. `artifact_type`,
 * `artifact_key` and `artifact_description` name the artifact and leave the data. Returns the state without them.
 * Source: reference behaviour, "States".
 */
export async function recordStateArtifact(
  context: Context,
  tx: Tx,
  state: State,
  run: { readonly flow_run_id: string | null; readonly task_run_id: string | null },
): Promise<State> {
  if (state.data === null) return state;
  const data = parseJson(state.data);
  if (!isJsonObject(data)) {
    await insertArtifact(context, tx, { ...run, data: state.data });
    return state;
  }
  if (data['type'] === 'unpersisted') return state;
  const { artifact_type, artifact_key, artifact_description, ...rest } = data;
  const named = artifact_type !== undefined || artifact_key !== undefined || artifact_description !== undefined;
  const kept = named ? jsonTextOf(rest) : state.data;
  await insertArtifact(context, tx, {
    ...run,
    data: kept,
    type: textOrNull(artifact_type),
    key: textOrNull(artifact_key),
    description: textOrNull(artifact_description),
  });
  return { ...state, data: kept };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
