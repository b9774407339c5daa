/**
 * The context of an operation: its workspace, the time, and the place for its changes. Each request and each pass of a
 * background service makes one; code below it never reads a clock or opens a connection.
 */

import type { Hub } from '../changes/hub.ts';
import type { Config } from '../config.ts';
import { leavingLargeValues } from '../database/lists/large-values.ts';
import type { Db, Requester, Store, Tx } from '../database/store.ts';
import type { Encryption } from '../encryption/encryption.ts';
import type { EventIntake } from '../events/intake.ts';
import type { Capacity } from '../fairness/capacity.ts';
import type { BodyReceiver } from '../fairness/receive-body.ts';
import type { RequestsUnderWay } from '../fairness/requests-under-way.ts';
import type { UnsentBytes } from '../fairness/unsent-bytes.ts';
import type { Actor, Role } from '../identity/access/access.ts';
import type { OpenThings } from '../identity/access/open-things.ts';
import type { WorkspaceAccessReader } from '../identity/access/workspace-access.ts';
import type { BasicCredential } from '../identity/callers/basic-credential.ts';
import type { Passwords } from '../identity/callers/passwords.ts';
import type { KeyUsage } from '../identity/keys/key-usage.ts';
import type { TargetPolicies } from '../identity/targets/target-policy.ts';
import type { Mail } from '../mail/mail.ts';
import type { Hosting } from '../mcp/hosting/hosting.ts';
import type { Upstreams } from '../mcp/upstream/upstreams.ts';
import { clientNetwork } from '../network/addresses.ts';
import type { Attempts } from '../rates/attempts.ts';
import type { Clock, Timestamp } from '../values/time.ts';
import type { Logger } from '../watching/logger.ts';
import { inSpan, type SpanBegin } from '../watching/spans.ts';

/** The state that the whole process shares. */
export interface Server {
  readonly config: Config;
  readonly store: Store;
  readonly clock: Clock;
  readonly intake: EventIntake;
  readonly logger: Logger;
  readonly hub: Hub;
  /** The most that the process takes. */
  readonly capacity: Capacity;
  readonly openThings: OpenThings;
  /** Decides which addresses the server may connect to on behalf of users. */
  readonly targets: TargetPolicies;
  /** Connections to MCP servers. */
  readonly upstreams: Upstreams;
  /** MCP servers that this process runs. */
  readonly hosting: Hosting;
  /** The open requests of both APIs and the pages. */
  readonly requests: RequestsUnderWay;
  readonly bodies: BodyReceiver;
  /** Bytes that live streams keep for slow readers. */
  readonly unsent: UnsentBytes;
  readonly keyUsage: KeyUsage;
  /** Finds what the owner of a key may do in a workspace. */
  readonly workspaceAccess: WorkspaceAccessReader;
  readonly attempts: Attempts;
  readonly basicCredential: BasicCredential;
  readonly passwords: Passwords;
  readonly mail: Mail;
  /** Encrypts values that must not be readable in the database. */
  readonly encryption: Encryption;
  /** Key of the workspace behind `/api`. */
  readonly defaultWorkspace: number;
  /** Writes the rows that a new workspace needs before it is served. */
  prepareWorkspace(workspace: number): Promise<void>;
}

/** The caller's description of itself, and its address. */
export interface ClientInfo {
  /** Version of the Prefect client, from the user agent; undefined when it is another program. */
  readonly version: string | undefined;
  /** The API version asked for; undefined means the current one. */
  readonly apiVersion: string | undefined;
  /** The automation on whose behalf a client creates an object. Set when both headers are present and readable. */
  readonly automation: { readonly id: string; readonly name: string } | undefined;
  /**
   * Base address of the API as the caller reaches it, for absolute addresses in answers: `http://127.0.0.1:4200/api`.
   */
  readonly apiUrl: string;
  /** True if that is a hosted address, for which clients expect some other answers. */
  readonly isHosted: boolean;
  /** Address of the client, for the audit; empty for the server itself. */
  readonly address: string;
}

export interface Context {
  readonly server: Server;
  readonly workspace: number;
  /** The caller; undefined where the access mode identifies none, and for the server itself. */
  readonly actor: Actor | undefined;
  /**
   * Identifies the caller for limits that are shared among callers: by the actor, or else by the network of its
   * address.
   */
  readonly caller: string;
  /** The actor's role in the workspace; undefined where the access mode checks none, and for the server itself. */
  readonly role: Role | undefined;
  /** Start of the request. */
  readonly now: Timestamp;
  readonly client: ClientInfo;
  /** Reads of this workspace. */
  readonly db: Db;
  /** Like `db`, for lists that are sent unchanged: their large values are read while the answer is sent. */
  readonly answerDb: Db;
  /** Changes of this workspace; see `Store.transaction`. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Changes that may share a commit with others; see `Store.sharedTransaction`. */
  sharedTransaction<T>(locks: string, work: (tx: Tx) => Promise<T>): Promise<T>;
}

const ownProcess: ClientInfo = {
  version: undefined,
  apiVersion: undefined,
  automation: undefined,
  apiUrl: 'http://localhost/api',
  isHosted: false,
  address: '',
};

const DATABASE_WRITE: SpanBegin = { name: 'database write', kind: 'internal' };

export function createContext(
  server: Server,
  workspace: number,
  client: ClientInfo = ownProcess,
  actor: Actor | undefined = undefined,
  requester: Requester = {},
  role: Role | undefined = undefined,
): Context {
  const caller = requester.caller ?? callerOf(actor, client.address);
  const asking = requester.caller === undefined ? { ...requester, caller } : requester;
  const { store } = server;
  const db = store.reads(workspace, asking);
  return {
    server,
    workspace,
    actor,
    caller,
    role,
    now: server.clock.now(),
    client,
    db,
    get answerDb() {
      return leavingLargeValues(db);
    },
    transaction: (work) => inSpan(DATABASE_WRITE, () => store.transaction(workspace, work, 'disk', asking)),
    sharedTransaction: (locks, work) =>
      inSpan(DATABASE_WRITE, () =>
        store.sharedTransaction
          ? store.sharedTransaction(workspace, locks, work, asking)
          : store.transaction(workspace, work, 'disk', asking),
      ),
  };
}

/** Returns the same text for all requests of one caller. */
export function callerOf(actor: Actor | undefined, address: string): string {
  return actor ? `actor ${actor.id}` : `address ${clientNetwork(address)}`;
}

/** Creates the context of a pass of a background service. */
export function createServiceContext(server: Server, workspace: number): Context {
  return createContext(server, workspace, ownProcess, undefined, { background: true });
}

/** The context inside a transaction: reads see its writes, and transactions of an operation become part of it. */
export function within(context: Context, tx: Tx): Context {
  return {
    ...context,
    db: tx,
    answerDb: tx,
    transaction: (work) => work(tx),
    sharedTransaction: (_locks, work) => work(tx),
  };
}
