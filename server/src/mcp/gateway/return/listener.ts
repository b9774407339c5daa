/** A stream that stays open, with the current view of its reader. */
import { decide } from '../../../identity/access/access.ts';
import { isObject, type Message, type MessageId } from '../../protocol/message.ts';
import type { ServerAccess, ServerFacts } from '../arrive/server-access.ts';
import type { Admitted } from '../decide/admitted.ts';
import type { Policies } from '../decide/policies.ts';
import type { CapabilityView } from '../decide/policy.ts';
import type { Screened } from '../decide/screen.ts';
import { concernsCapabilities, filterMessage, type MessageFilter } from './answer-filter.ts';
import type { Relay } from './relay.ts';
import { CAPABILITY_LISTS, type CapabilityList, type OpenStream } from './streams.ts';

const WANTED: Readonly<Record<CapabilityList, string>> = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
};

/** True for a request whose answer is a stream that stays open. */
export function listens({ verdict }: Screened, httpMethod: string): boolean {
  return httpMethod === 'GET' || listenRequest(verdict) !== undefined;
}

/** The facts that each check reads. */
interface Reader {
  readAccess(): ServerAccess | Promise<ServerAccess>;
  isSessionOpen(): boolean | Promise<boolean>;
}

export class Listener implements OpenStream {
  readonly serverId: string;
  readonly lists: readonly CapabilityList[];
  readonly subscription: MessageId | undefined;
  readonly sessionId: string | undefined;
  readonly filter: MessageFilter;
  readonly #policies: Policies;
  readonly #reader: Reader;
  #version: string;
  #selection: number | undefined;
  #view: CapabilityView;
  #relay: Relay | undefined;

  constructor({ server, view }: Admitted, { verdict, era, session }: Screened, policies: Policies, reader: Reader) {
    const request = listenRequest(verdict);
    this.serverId = server.id;
    this.lists = request ? wantedLists(request) : CAPABILITY_LISTS;
    this.subscription = request?.id;
    this.sessionId = session?.upstreamId;
    this.filter = {
      concerns: (bytes) => !this.#view.unrestricted && concernsCapabilities(bytes),
      apply: (text) => (this.#view.unrestricted ? text : filterMessage(text, this.#view, era)),
    };
    this.#policies = policies;
    this.#reader = reader;
    this.#version = versionOf(server, view);
    this.#selection = selectionOf(server);
    this.#view = view;
  }

  attach(relay: Relay): void {
    this.#relay = relay;
  }

  async check(): Promise<'ended' | 'replaced' | 'changed' | 'same'> {
    const access = await this.#reader.readAccess();
    const decision = decide(access.facts, 'viewer');
    // Another server may have taken the address.
    if (!decision.allowed || access.server?.id !== this.serverId || !access.actor) return 'ended';
    if (access.server.authentication === 'none') return 'ended';
    if (selectionOf(access.server) !== this.#selection) return 'replaced';
    if (!(await this.#reader.isSessionOpen())) return 'ended';
    const policy = await this.#policies.policyOf(access.server);
    const view = policy.viewOf(access.actor.id, decision.role);
    const version = versionOf(access.server, view);
    if (version === this.#version) return 'same';
    this.#version = version;
    this.#view = view;
    return 'changed';
  }

  inject(event: Buffer): void {
    this.#relay?.inject(event);
  }

  close(): void {
    this.#relay?.close();
  }

  /** The capabilities that its reader may use now. */
  get view(): CapabilityView {
    return this.#view;
  }
}

/** For a remix: the version of its sources, whose streams are behind an open one. */
function selectionOf({ kind, connection_version }: ServerFacts): number | undefined {
  return kind === 'remix' ? connection_version : undefined;
}

/** Changes whenever the policy or the view of a reader changes. */
export function versionOf(server: ServerFacts, view: CapabilityView): string {
  return `${server.policy_version} ${view.key}`;
}

function listenRequest(verdict: Screened['verdict']): (Message & { kind: 'request' }) | undefined {
  const message = verdict.kind === 'forward' ? verdict.message : undefined;
  return message?.kind === 'request' && message.method === 'subscriptions/listen' ? message : undefined;
}

/** Source: modelcontextprotocol.io/specification/2026-07-28/schema, `subscriptions/listen`. */
function wantedLists(message: Message & { kind: 'request' }): readonly CapabilityList[] {
  const wanted = message.params['notifications'];
  return isObject(wanted) ? CAPABILITY_LISTS.filter((list) => wanted[WANTED[list]] === true) : CAPABILITY_LISTS;
}
