/** A remix in the form of its row, and the sessions of its clients with its sources. */
import type { JsonObject } from '../../protocol/message.ts';
import type { Composition } from './composition.ts';

export interface Remix {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly composition: Composition;
  /** Its capabilities as a server. */
  readonly capabilities: Readonly<JsonObject>;
}
