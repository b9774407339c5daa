/**
 * Finds placeholders in the settings of an MCP client: `${input:key}`, `${env:KEY}`, `${KEY:-default}`, `<your key>`.
 */
import type { Input, ValuedInput } from './registry-file.ts';

/** The inputs that a client requests from the person, by id. */
export type Inputs = ReadonlyMap<string, Input>;

const REFERENCE = /\$\{(?:input:|env:)?([A-Za-z_][\w.-]*)(?::-([^}]*))?\}/g;
/** A placeholder that is the whole text. Only this form is shown, because another text could be a value after all. */
const BRACKETED = /^<[^<>]+>$/;
const TO_REPLACE = /^your[-_ ]/i;

/** The text and its variables, in the form of a registry file. */
export function openedText(text: string, inputs: Inputs): { value: string; variables: Record<string, Input> } {
  const variables: Record<string, Input> = {};
  const value = text.replace(REFERENCE, (_, id: string, fallback: string | undefined) => {
    const name = id.replaceAll('.', '_');
    variables[name] = {
      isRequired: true,
      ...inputs.get(id),
      ...(fallback === undefined ? {} : { default: fallback }),
    };
    return `{${name}}`;
  });
  return { value, variables };
}

/** A placeholder or an empty text gives an input without a value. */
export function opened(text: string, inputs: Inputs): ValuedInput {
  if (text === '') return {};
  if (BRACKETED.test(text)) return { isRequired: true, placeholder: text };
  if (TO_REPLACE.test(text)) return { isRequired: true };
  const { value, variables } = openedText(text, inputs);
  return Object.keys(variables).length > 0 ? { value, variables, isRequired: true } : { value };
}
