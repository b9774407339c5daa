/** The built-in server of each workspace, through which agents use its orchestration with the role of their caller. */
import type { Actor, Role } from '../../identity/access/access.ts';
import type { Clock } from '../../values/time.ts';
import type { Logger } from '../../watching/logger.ts';
import type { Era } from '../protocol/era.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { type RunOrigin, tracingRuns } from './definition/run-origin.ts';
import type { WorkspaceApi } from './definition/workspace-api.ts';
import { FetchUpstream } from './protocol/fetch-upstream.ts';
import type { ProtocolHandler } from './protocol/protocol-server.ts';

interface BuiltinCaller {
  /** Key of the workspace. */
  readonly workspace: number;
  readonly actor: Actor;
  /** The role in the workspace, read for this request. */
  readonly role: Role;
  readonly era: Era;
  /** The decision of the server's policy on a tool. */
  allows(tool: string): boolean;
  /** Records that the role does not allow the call; the reason is for the record. */
  denied(reason: string): void;
  readonly origin: RunOrigin;
}

interface BuiltinParts {
  readonly workspaceApi: WorkspaceApi;
  readonly clock: Clock;
  readonly logger: Logger;
}

export class BuiltinServers {
  readonly #parts: BuiltinParts;
  #handler: Promise<ProtocolHandler> | undefined;

  constructor(parts: BuiltinParts) {
    this.#parts = parts;
  }

  /**
   * The server for one request of this caller. The first one loads the SDK, which takes 26 MB and a quarter of a
   * second.
   */
  upstreamFor({ workspace, actor, role, era, allows, denied, origin }: BuiltinCaller): Upstream {
    const { workspaceApi, clock, logger } = this.#parts;
    const api = tracingRuns(workspaceApi, origin);
    const fault = (error: unknown) => logger.error({ err: error }, 'the built-in MCP server failed');
    return new FetchUpstream(async (request) => {
      const caller = { workspace, actor, role, signal: request.signal };
      try {
        const handler = await this.#load();
        return await handler(request, { api, caller, now: clock.now(), era, allows, denied, fault });
      } catch (error) {
        if (!request.signal.aborted) fault(error);
        throw error;
      }
    });
  }

  #load(): Promise<ProtocolHandler> {
    this.#handler ??= import('./protocol/protocol-server.ts').then(({ createProtocolHandler }) =>
      createProtocolHandler((error) =>
        this.#parts.logger.debug({ err: error }, 'the built-in MCP server refused a request'),
      ),
    );
    return this.#handler;
  }
}
