/** Keeps answers short, because an agent pays for each character that it reads. */

/** The beginning of a text, and the number of omitted characters. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length - length} more characters)`;
}

/** Cuts a time to seconds, which are enough for a reader. */
export function toSecond(time: string | null | undefined): string | undefined {
  return time ? `${time.slice(0, 19)}Z` : undefined;
}

type Kept<Fields> = {
  [Name in keyof Fields as null extends Fields[Name]
    ? never
    : undefined extends Fields[Name]
      ? never
      : Name]: Fields[Name];
} & {
  [Name in keyof Fields as null extends Fields[Name] ? Name : undefined extends Fields[Name] ? Name : never]?: Exclude<
    Fields[Name],
    null | undefined
  >;
};

/** Removes empty fields: null, undefined, and lists without items. */
export function compact<Fields extends object>(fields: Fields): Kept<Fields> {
  const kept = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(kept) as Kept<Fields>;
}

/** JSON of a value, shortened. Undefined for null and for an empty object. */
export function jsonOf(value: unknown, length: number): string | undefined {
  if (value === null || value === undefined) return undefined;
  const text = JSON.stringify(value);
  return text === '{}' || text === '[]' ? undefined : shortened(text, length);
}
