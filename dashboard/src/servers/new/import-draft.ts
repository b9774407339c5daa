/** The values that a person enters for the servers of a file, and the request for the import. */
import type { components } from '../../api/platform.gen.ts';

type Schemas = components['schemas'];
export type ImportOffer = Schemas['ImportOffer'];
export type ImportQuestion = Schemas['ImportQuestion'];
type Values = Pick<Schemas['ServerImport'], 'variables' | 'headers' | 'environment' | 'arguments'>;

/** The values for one offer. */
export interface OfferDraft {
  /** Empty for the proposed slug. */
  readonly slug: string;
  /** Values by `keyOf`. */
  readonly values: Readonly<Record<string, string>>;
}

export const emptyDraft: OfferDraft = { slug: '', values: {} };

/** The name of the field in answers. */
export function keyOf({ field, name }: Pick<ImportQuestion, 'field' | 'name'>): string {
  return `${field}.${name}`;
}

export function enteredFor(question: ImportQuestion, { values }: OfferDraft): string {
  return values[keyOf(question)] ?? question.default ?? '';
}

/** The name of the first required question without an answer. */
export function missingIn({ questions }: ImportOffer, draft: OfferDraft): string | undefined {
  return questions.find((question) => question.isRequired && enteredFor(question, draft) === '')?.name;
}

/** A repeatable question has one value per line. */
export function valuesOf({ questions }: ImportOffer, draft: OfferDraft): Values {
  const of = (field: ImportQuestion['field']) => {
    const entered = questions
      .filter((question) => question.field === field)
      .map((question): [ImportQuestion, string] => [question, enteredFor(question, draft)])
      .filter(([, value]) => value !== '');
    return Object.fromEntries(
      entered.map(([{ name, isRepeated }, value]) => [name, isRepeated ? linesOf(value) : value] as const),
    );
  };
  return {
    variables: of('variables') as Record<string, string>,
    headers: of('headers') as Record<string, string>,
    environment: of('environment') as Record<string, string>,
    arguments: of('arguments'),
  };
}

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

/** The default choice: for each server of the file, the first offer that can be imported. */
export function firstChosen(offers: readonly ImportOffer[]): ReadonlySet<string> {
  return new Set(offers.filter(({ isFirstChoice, problem }) => isFirstChoice && !problem).map(({ from }) => from));
}
