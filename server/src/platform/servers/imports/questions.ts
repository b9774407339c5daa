/** The inputs that a file leaves open, for the person who imports a server from it. */
import type { Way } from './offers.ts';
import type { Input, ValuedInput } from './registry-file.ts';
import type { ImportQuestion } from './schema.ts';

type Field = ImportQuestion['field'];
type Named = ValuedInput & { readonly name: string; readonly isRepeated?: boolean | null };

/** Returns each name once. */
export function questionsOf(way: Way): readonly ImportQuestion[] {
  const asked = way.kind === 'remote' ? ofRemote(way) : way.kind === 'package' ? ofPackage(way) : [];
  return [...new Map(asked.map((one) => [`${one.field}.${one.name}`, one])).values()];
}

function ofRemote({ remote: { variables, headers } }: Extract<Way, { kind: 'remote' }>): ImportQuestion[] {
  return [...variablesOf({ variables, isRequired: true }), ...ofInputs('headers', headers ?? [])];
}

function ofPackage({ hosted }: Extract<Way, { kind: 'package' }>): ImportQuestion[] {
  return [...ofInputs('environment', hosted.variables), ...ofInputs('arguments', hosted.arguments)];
}

function ofInputs(field: Field, inputs: readonly Named[]): ImportQuestion[] {
  const open = inputs.filter(isOpen).map((input) => questionOf(field, input.name, input));
  return [...inputs.flatMap(variablesOf), ...open];
}

/** A variable is required, and secret, if the text that contains it is. */
function variablesOf({
  variables,
  isRequired,
  isSecret,
}: Pick<ValuedInput, 'variables' | 'isRequired' | 'isSecret'>): ImportQuestion[] {
  return Object.entries(variables ?? {})
    .filter(([, input]) => isOpen(input))
    .map(([name, input]) =>
      questionOf('variables', name, {
        ...input,
        isRequired: isRequired || input.isRequired,
        isSecret: isSecret || input.isSecret,
      }),
    );
}

function isOpen({ value }: Input): boolean {
  return typeof value !== 'string';
}

function questionOf(
  field: Field,
  name: string,
  input: Input & { readonly isRepeated?: boolean | null },
): ImportQuestion {
  const isSecret = input.isSecret === true;
  const hasDefault = typeof input.default === 'string';
  return {
    field,
    name,
    description: input.description ?? null,
    placeholder: input.placeholder ?? null,
    isRequired: input.isRequired === true && !hasDefault,
    isSecret,
    isRepeated: input.isRepeated === true,
    default: isSecret ? null : (input.default ?? null),
    choices: [...(input.choices ?? [])],
  };
}
