/**
 * Explains the refusal of sockets that a client opened without a credential. Clients of a self-hosted server send their
 * API key over HTTP only, so the flow succeeds while its task runs and events are lost; the refusal names the setting
 * that fixes it. Source: measured with clients 3.0.11 to 3.9.1.
 */
import { STATUS_CODES } from 'node:http';
import type { Config } from '../../config.ts';
import { type ApiError, ExpiredCredential, KeyTooOld } from '../../errors.ts';
import { asksForKey } from '../../identity/callers/authenticate.ts';
import { socketCures } from '../../identity/callers/socket-cures.ts';
import type { Target } from '../../identity/callers/target.ts';
import type { Logger } from '../../watching/logger.ts';

const REASON = 'Auth required but no token provided';
/** Callers whose refusal has been logged; the one logged longest ago is forgotten first. */
const MAX_TOLD = 1000;
/** Most log lines in a minute, however many callers there are. */
const MAX_LINES_A_MINUTE = 20;
const MINUTE_MILLISECONDS = 60_000;

type Cure = (typeof socketCures)[keyof typeof socketCures];

/**
 * The setting that a client without a credential lacks at this address. `canSignIn` is true if it spoke the
 * subprotocol.
 */
export function settingLacked(config: Config, target: Target, canSignIn: boolean): Cure {
  if (target.kind === 'hosted') return socketCures.hosted;
  if (asksForKey(config, target)) return canSignIn ? socketCures.key : socketCures.keyOfOldClient;
  return canSignIn ? socketCures.basic : socketCures.oldClient;
}

/** The refusal of an upgrade, and the reason in a close frame in access modes other than `basic`. */
export function refusalOf(cure: Cure): string {
  return `${REASON}: ${cure}`;
}

/**
 * The reason in the close frame: in the access mode `basic` that of the reference, else the setting that the client
 * lacks.
 */
export function closeReason(config: Config, target: Target): string {
  return asksForKey(config, target) ? refusalOf(settingLacked(config, target, true)) : REASON;
}

/**
 * The phrase of HTTP for a refusal, because a close frame and a status line have no room for sentences. Source: RFC
 * 6455, 5.5.
 */
export function phraseOf({ status, message }: ApiError): string {
  return STATUS_CODES[status] ?? message;
}

/** The reason in a close frame: a short sentence for an expired key, else the phrase of HTTP. */
export function closeReasonOf(error: ApiError): string {
  return error instanceof ExpiredCredential || error instanceof KeyTooOld ? error.message : phraseOf(error);
}

/** Logs refused sockets, once for each caller and each kind of wrong configuration. */
export class RefusedSockets {
  readonly #logger: Logger;
  readonly #told = new Set<string>();
  #minute = 0;
  #lines = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** `address` is the address of the client. */
  tell(
    cure: Cure,
    { path, address, userAgent }: { path: string; address: string; userAgent: string | undefined },
  ): void {
    const client = userAgent?.slice(0, 100);
    const caller = `${address} ${client ?? ''} ${cure}`;
    if (this.#told.has(caller) || !this.#hasRoom()) return;
    this.#told.add(caller);
    for (const oldest of this.#told) {
      if (this.#told.size <= MAX_TOLD) break;
      this.#told.delete(oldest);
    }
    this.#logger.warn(
      { path, address, client },
      `A client opened a websocket without a credential, and its task runs and events are not recorded. ${refusalOf(cure)}.`,
    );
  }

  #hasRoom(): boolean {
    const minute = Math.floor(performance.now() / MINUTE_MILLISECONDS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#lines = 0;
    }
    return this.#lines++ < MAX_LINES_A_MINUTE;
  }
}
