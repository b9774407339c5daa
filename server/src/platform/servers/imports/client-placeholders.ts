/** What the settings of an MCP client leave open in a text: `${input:key}`, `${env:KEY}`, `${KEY:-default}`, `<your key>`. */
import type { Input, ValuedInput } from './registry-file.ts';

/** What a client asks the person for, by its id. */
export type Inputs = ReadonlyMap<string, Input>;

const REFERENCE = /\$\{(?:input:|env:)?([A-Za-z_][\w.-]*)(?::-([^}]*))?\}/g;
/** A whole text that asks to be replaced. Only the first form is shown: another text could be a value after all. */
const BRACKETED = /^<[^<>]+>$/;
const TO_REPLACE = /^your[-_ ]/i;

/** With the variables that stand in it, as a registry file has them. */
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

/** A text that asks to be replaced, or is empty, is left open. */
export function opened(text: string, inputs: Inputs): ValuedInput {
  if (text === '') return {};
  if (BRACKETED.test(text)) return { isRequired: true, placeholder: text };
  if (TO_REPLACE.test(text)) return { isRequired: true };
  const { value, variables } = openedText(text, inputs);
  return Object.keys(variables).length > 0 ? { value, variables, isRequired: true } : { value };
}
