/** The form's model of a variable. */

export interface VariableForm {
  readonly name: string;
  /** JSON. */
  readonly value: string;
  readonly tags: readonly string[];
}

/** The value is sent in its written form. */
export function bodyOf({ name, value, tags }: VariableForm): string {
  return `{"name":${JSON.stringify(name)},"value":${value},"tags":${JSON.stringify(tags)}}`;
}
