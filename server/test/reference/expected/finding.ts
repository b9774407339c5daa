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
  readonly told: Told;
}

/** The facts of a difference, as sentences for `docs/differences.md` and the report. */
export interface Told {
  /** As in `Finding.route`. Empty: any route. */
  readonly routes: readonly string[];
  /** The part of a request or the stored data that shows the difference. */
  readonly request: string;
  /** The subject of these sentences is the reference. */
  readonly reference: string;
  /** The subject of these sentences is Signalbox. */
  readonly ours: string;
  /** Only where it is not obvious. */
  readonly why?: string;
}
