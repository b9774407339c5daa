import type { Difference } from './compare/difference.ts';
import type { Answer } from './wire/http-client.ts';

/** A difference with what led to it. */
export interface Finding extends Difference {
  /** `POST /flows/filter` */
  readonly route: string;
  readonly answers: { readonly reference: Answer; readonly ours: Answer };
}

export interface ExpectedDifference {
  readonly route: RegExp;
  readonly where: (finding: Finding) => boolean;
  /** Why the difference is meant, as a sentence of the report. */
  readonly reason: string;
}

/** Where Signalbox answers otherwise on purpose. Everything else that differs is a fault of one of the two. */
export const expectedDifferences: readonly ExpectedDifference[] = [
  {
    route: /./,
    where: statuses((reference, ours) => reference === 500 && ours >= 400 && ours < 500),
    reason: 'bad input is refused where the reference fails (500)',
  },
  {
    route: /^GET \/\w+\/$/,
    where: statuses((reference, ours) => reference === 405 && ours === 200),
    reason: 'a collection answers its list to a GET',
  },
  {
    route: /^(POST \/(logs|events)\/)/,
    where: statuses((reference, ours) => reference === 500 && ours === 200),
    reason: 'text search works, which the reference cannot do on an older SQLite',
  },
  {
    route: /./,
    where: isSameNumber,
    reason: 'a bare number keeps its kind and its digits',
  },
];

/** SQLite gives a bare number in a JSON column numeric affinity: the reference reads `1.0` back as `1`. */
function isSameNumber({ kind, path, reference, ours }: Finding): boolean {
  const atTop = /(^|\.|\[\])(value|data)$/.test(path);
  return atTop && (kind === 'number kind' || kind === 'value') && Number(reference) === Number(ours);
}

function statuses(where: (reference: number, ours: number) => boolean): ExpectedDifference['where'] {
  return ({ kind, answers }) => kind === 'status' && where(answers.reference.status, answers.ours.status);
}

/** The first entry that explains the finding. */
export function explain(finding: Finding): ExpectedDifference | undefined {
  return expectedDifferences.find((entry) => entry.route.test(finding.route) && entry.where(finding));
}
