import type { Difference } from '../compare/difference.ts';
import type { Answer, Request } from '../wire/http-client.ts';

/** A difference with its cause. */
export interface Finding extends Difference {
  /** `POST /flows/filter` */
  readonly route: string;
  /** As it was sent to the reference. */
  readonly request: Request;
  /** The same with our ids. */
  readonly requestToUs: Request;
  readonly answers: { readonly reference: Answer; readonly ours: Answer };
}

export interface ExpectedDifference {
  readonly route: RegExp;
  readonly where: (finding: Finding) => boolean;
  /** Why the difference is intended, as a sentence of the report. */
  readonly reason: string;
}
