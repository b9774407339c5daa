/** A streaming answer, with the check whether its reader may still receive it. */
import { decide } from '../../../identity/access/access.ts';
import type { NamedCapability } from '../../protocol/named-capability.ts';
import { ACCESS_ENDED } from '../arrive/refusals.ts';
import type { ServerAccess } from '../arrive/server-access.ts';
import type { Policies } from '../decide/policies.ts';
import { versionOf } from './listener.ts';
import type { Relay } from './relay.ts';
import type { OpenStream } from './streams.ts';

interface RunningAnswerOptions {
  readonly serverId: string;
  /** The capability that the request uses; undefined when it names none, or several. */
  readonly capability: NamedCapability | undefined;
  /** For an answer to a batch: the policy that decided about it. Another policy ends it, whatever its content. */
  readonly batchPolicy: string | undefined;
  /** True when the server authenticates its callers itself: the answer ends with the server, or with this mode. */
  readonly untouched: boolean;
  readonly policies: Policies;
  readAccess(): ServerAccess | Promise<ServerAccess>;
}

export class RunningAnswer implements OpenStream {
  readonly serverId: string;
  readonly lists = [];
  readonly subscription = undefined;
  readonly #options: RunningAnswerOptions;
  #relay: Relay | undefined;

  constructor(options: RunningAnswerOptions) {
    this.serverId = options.serverId;
    this.#options = options;
  }

  attach(relay: Relay): void {
    this.#relay = relay;
  }

  async check(): Promise<'ended' | 'same'> {
    const { untouched, serverId } = this.#options;
    const access = await this.#options.readAccess();
    const { server } = access;
    // Another server may have taken the address.
    if (server?.id !== serverId || (server.authentication === 'none') !== untouched) return 'ended';
    if (untouched) return 'same';
    const decision = decide(access.facts, 'viewer');
    if (!decision.allowed || !access.actor) return 'ended';
    const { capability, policies, batchPolicy } = this.#options;
    const view = (await policies.policyOf(server)).viewOf(access.actor.id, decision.role);
    if (capability && !view.decide(capability.kind, capability.name).allowed) return 'ended';
    return batchPolicy === undefined || view.unrestricted || batchPolicy === versionOf(server, view) ? 'same' : 'ended';
  }

  inject(): void {}

  close(): void {
    this.#relay?.endWith(ACCESS_ENDED);
  }
}
