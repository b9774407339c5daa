import type { Parsed } from '../wire/json-text.ts';
import type { PathTemplate, Side, Symbolic, SymbolicObject } from './symbols.ts';

/** How the rows of a list may be compared. */
export interface RowOrder {
  /**
   * The text that a row is sorted by. Rows with the same key may come in any order, because the reference breaks no
   * ties. Absent: the order of the whole list follows ids that each server chose, so the rows are compared as a set.
   */
  readonly key?: (row: Record<string, Parsed>) => string;
  /** Generated names sort differently on each server: with such a row in a list, `key` is not used. */
  readonly byName?: boolean;
  /**
   * The largest number of rows in the answer: a list of this length was cut, and its last ties may be any of several
   * rows.
   */
  readonly limit?: number;
  /** Rows before the answer were left out, so the first ties may be any of several rows. */
  readonly skipped?: boolean;
}

/** Two answers with a 2xx status, for a step to learn ids from. */
export type Bodies = Record<Side, Parsed>;
/** Our id of the object with this id on the reference, if the comparison knows it. */
export type Counterpart = (referenceId: string) => string | undefined;

export interface HttpStep {
  readonly kind: 'http';
  /** As the reports name it: `POST /flows/filter`. */
  readonly route: string;
  /** The generator's purpose, in a few words. */
  readonly note: string;
  readonly method: string;
  readonly path: PathTemplate;
  readonly query?: SymbolicObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Symbolic;
  /** Sent in place of `body`, byte for byte. */
  readonly raw?: string | Uint8Array;
  readonly rows?: RowOrder;
  /** The answer is a number that grows while the clock runs. */
  readonly fuzzy?: boolean;
  /**
   * Sent once the server should have written its background data: because the reference does not repeat this request
   * when its SQLite file is locked, or because the previous request started a background write.
   */
  readonly quiet?: boolean;
  /** Only cleans up: its answer is not compared. */
  readonly silent?: boolean;
  /** Reads data written in the background: a difference counts only if it is still there after some seconds. */
  readonly settle?: boolean;
  /** True when the answer can be compared: until then the step is sent again, for some seconds. */
  readonly ready?: (body: Parsed) => boolean;
  /** Called when both servers answered with a 2xx status. */
  readonly learn?: (bodies: Bodies, counterpart: Counterpart) => unknown;
}

/** Events sent over the open `/events/in` connection, which answers nothing. */
export interface EventsStep {
  readonly kind: 'events';
  readonly route: string;
  readonly note: string;
  readonly events: readonly Symbolic[];
}

/** A separate websocket conversation, compared by the frames that it returns and by how it ends. */
export interface ConversationStep {
  readonly kind: 'conversation';
  readonly route: string;
  readonly note: string;
  readonly path: string;
  readonly subprotocols: readonly string[];
  readonly frames: readonly string[];
  /** After this many seconds of silence the server counts as satisfied. */
  readonly listenSeconds: number;
}

export type Step = HttpStep | EventsStep | ConversationStep;

/** The steps of an action; the next one is requested when both servers have answered the previous one. */
export type Steps = Generator<Step, void, undefined>;
