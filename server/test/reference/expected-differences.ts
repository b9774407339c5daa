import type { Difference } from './compare/difference.ts';
import type { Answer, Request } from './wire/http-client.ts';
import { isParsedObject, type Parsed, readJson } from './wire/json-text.ts';

/** A difference with what led to it. */
export interface Finding extends Difference {
  /** `POST /flows/filter` */
  readonly route: string;
  /** As it was sent to the reference. */
  readonly request: Request;
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
    route: /./,
    where: statuses((reference, ours) => reference === 500 && ours >= 200 && ours < 300),
    reason: 'a request is served where the reference fails (500)',
  },
  {
    route: /./,
    where: (finding) =>
      statuses((reference, ours) => reference === 405 && ours === 200)(finding) &&
      finding.request.method === 'GET' &&
      /^\/\w+\/$/.test(finding.request.path),
    reason: 'a collection answers its list to a GET',
  },
  {
    route: /bulk/,
    where: ({ answers }) =>
      [answers.reference, answers.ours].some(({ text }) =>
        text.includes('(sqlite3.OperationalError) database is locked'),
      ),
    reason: "the reference's SQLite file was locked",
  },
  {
    route: /./,
    where: isSameNumber,
    reason: 'a bare number keeps its kind and its digits',
  },
  {
    route: /^POST /,
    where: ({ request }) => filtersStateTwice(readJson(String(request.body))),
    reason: 'a state filter with any_ and not_any_ applies both, where the reference applies neither',
  },
];

function statuses(where: (reference: number, ours: number) => boolean): ExpectedDifference['where'] {
  return ({ kind, answers }) => kind === 'status' && where(answers.reference.status, answers.ours.status);
}

/** SQLite gives a bare number in a JSON column numeric affinity: the reference reads `1.0` back as `1`. */
function isSameNumber({ kind, path, reference, ours }: Finding): boolean {
  const isBare = /(^|\.|\[\])(value|data)$/.test(path);
  return isBare && (kind === 'number kind' || kind === 'value') && Number(reference) === Number(ours);
}

function filtersStateTwice(body: Parsed): boolean {
  const filter = isParsedObject(body) && isParsedObject(body.flow_runs) ? body.flow_runs.state : undefined;
  if (!isParsedObject(filter)) return false;
  return [filter.type, filter.name].some((one) => isParsedObject(one) && 'any_' in one && 'not_any_' in one);
}

/** The first entry that explains the finding. */
export function explain(finding: Finding): ExpectedDifference | undefined {
  return expectedDifferences.find((entry) => entry.route.test(finding.route) && entry.where(finding));
}
