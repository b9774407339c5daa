/**
 * Ids of a source's questions, in the client's form. Sources choose their ids independently, so each contains the key
 * of its source, by which the answer finds its source on every replica.
 */

const QUESTION_ID = /^signalbox-(\d+)-(.+)$/s;

interface QuestionId {
  /** The key of the source. */
  readonly key: number;
  /** The id at the source, as JSON. */
  readonly id: string;
}

/** `id` of a message of the source: a string, or a number in its notation. */
export function questionIdFor(key: number, id: unknown): string {
  return `signalbox-${key}-${JSON.stringify(id)}`;
}

/** Undefined for an id that was not made here. */
export function openQuestionId(given: unknown): QuestionId | undefined {
  const [, key, id] = typeof given === 'string' ? (QUESTION_ID.exec(given) ?? []) : [];
  return key === undefined || id === undefined || !isIdText(id) ? undefined : { key: Number(key), id };
}

function isIdText(text: string): boolean {
  try {
    const id: unknown = JSON.parse(text);
    return typeof id === 'string' || typeof id === 'number';
  } catch {
    return false;
  }
}

const KEYED_ID = /^(\d+)-(.+)$/s;

/** The id of a task or an event with the key of its source, because two sources may choose the same id. */
export function keyedId(key: number, id: string): string {
  return `${key}-${id}`;
}

/** Undefined for an id that was not made here. */
export function openKeyedId(given: string): { readonly key: number; readonly id: string } | undefined {
  const [, key, id] = KEYED_ID.exec(given) ?? [];
  return key === undefined || id === undefined ? undefined : { key: Number(key), id };
}
