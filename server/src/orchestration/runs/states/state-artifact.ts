import { type JsonText, jsonTextOf, parseObject } from '../../../values/json.ts';
import { pythonRepr } from '../../../values/python-text.ts';
import type { State } from '../rows/state.ts';

/** The part of an artifact that comes from the data of a state. */
export interface StateArtifact {
  readonly data: JsonText;
  readonly type?: string | null;
  readonly key?: string | null;
  readonly description?: string | null;
}

/**
 * Makes the data of a state an artifact of its run. Drops data of the type `unpersisted`. `artifact_type`,
 * `artifact_key` and `artifact_description` move from the data to the artifact.
 * Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export function separateArtifact(state: State): { state: State; artifact?: StateArtifact } {
  if (state.data === null) return { state };
  if (!state.data.startsWith('{')) return { state, artifact: { data: state.data } };
  const data = parseObject(state.data);
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

/**
 * The reason why the artifact in the data of a state cannot be stored, in the words that clients log; undefined when it
 * can. Empty values are ignored. Source: `POST /flow_runs/{id}/set_state` of the Prefect server 3.9.1.
 */
export function artifactFault({ data: text }: State): string | undefined {
  if (text === null || !text.startsWith('{') || !text.includes('artifact_')) return undefined;
  const data = parseObject(text);
  if (data['type'] === 'unpersisted') return undefined;
  const faults = ['key', 'type', 'description'].flatMap((field) => {
    const repr = pythonRepr(data[`artifact_${field}`]);
    const type = pythonType(repr);
    if (type === 'str' || EMPTY.test(repr)) return [];
    return [
      `${field}\n  Input should be a valid string [type=string_type, input_value=${shortened(repr)}, input_type=${type}]`,
      '    For further information visit https://errors.pydantic.dev/2.14/v/string_type',
    ];
  });
  if (faults.length === 0) return undefined;
  const count = faults.length / 2;
  return [`Error validating state: ${count} validation error${count === 1 ? '' : 's'} for Artifact`, ...faults].join(
    '\n',
  );
}

const EMPTY = /^(None|False|\[\]|\{\}|-?0|-?0\.0)$/;

/** The Python type whose `repr` looks like this. */
function pythonType(repr: string): string {
  if (/^['"]/.test(repr)) return 'str';
  if (repr.startsWith('[')) return 'list';
  if (repr.startsWith('{')) return 'dict';
  if (repr === 'True' || repr === 'False') return 'bool';
  return /^-?\d+$/.test(repr) ? 'int' : 'float';
}

/** A fault quotes at most 50 characters: the beginning and the end. */
function shortened(repr: string): string {
  return repr.length <= 50 ? repr : `${repr.slice(0, 25)}...${repr.slice(-24)}`;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
