import { isJsonObject, type JsonText, jsonTextOf, parseJson } from '../../json.ts';
import type { State } from './state.ts';

/** The part of an artifact that comes from the data of a state. */
export interface StateArtifact {
  readonly data: JsonText;
  readonly type?: string | null;
  readonly key?: string | null;
  readonly description?: string | null;
}

/**
 * The data of a state is also an artifact of its run; data that says it was not persisted is dropped. `artifact_type`,
 * `artifact_key` and `artifact_description` name the artifact and leave the data.
 * Source: reference behaviour, "States".
 */
export function separateArtifact(state: State): { state: State; artifact?: StateArtifact } {
  if (state.data === null) return { state };
  const data = parseJson(state.data);
  if (!isJsonObject(data)) return { state, artifact: { data: state.data } };
  if (data['type'] === 'unpersisted') return { state: { ...state, data: null } };
  const { artifact_type, artifact_key, artifact_description, ...rest } = data;
  const named = artifact_type !== undefined || artifact_key !== undefined || artifact_description !== undefined;
  const kept = named ? jsonTextOf(rest) : state.data;
  return {
    state: { ...state, data: kept },
    artifact: {
      data: kept,
      type: textOrNull(artifact_type),
      key: textOrNull(artifact_key),
      description: textOrNull(artifact_description),
    },
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
