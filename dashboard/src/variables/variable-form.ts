/** A variable as its form holds it. */

export interface VariableForm {
  readonly name: string;
  /** JSON. */
  readonly value: string;
  readonly tags: readonly string[];
}

/** The value is sent as it is written. */
export function bodyOf({ name, value, tags }: VariableForm): string {
  return `{"name":${JSON.stringify(name)},"value":${value},"tags":${JSON.stringify(tags)}}`;
}
