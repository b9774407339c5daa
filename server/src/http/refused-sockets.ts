/**
 * Sockets that a client opened without a credential. Clients of a self-hosted server send their API key over HTTP only, so
 * the flow ends well while its task runs and events are lost: the refusal names the setting that fixes it.
 * Source: measured with clients 3.0.11 to 3.9.1.
 */
import type { Config } from '../config.ts';
import { asksForKey, type Target } from '../identity/authenticate.ts';
import type { Logger } from '../logger.ts';

const REASON = 'Auth required but no token provided';
/** A client can be refused any number of times: one log line for each sentence in this time is enough. */
const QUIET_MILLISECONDS = 60_000;

const sentences = {
  hosted: `${REASON}: set PREFECT_CLOUD_API_URL to the server's address with /api`,
  key: `${REASON}: set PREFECT_API_AUTH_STRING to the API key`,
  basic: `${REASON}: set PREFECT_API_AUTH_STRING to user:password`,
  /** Clients before 3.6 send no auth string on sockets; as clients of a hosted server they send their key. */
  keyOfOldClient: `${REASON}: set PREFECT_CLOUD_API_URL to the address in PREFECT_API_URL, or use a newer client`,
  oldClient: `${REASON}: use a client that sends PREFECT_API_AUTH_STRING on websockets (3.7.8 does)`,
} as const;
type Sentence = (typeof sentences)[keyof typeof sentences];

/** The setting that a client without a credential lacks at this address; `canSignIn`: it spoke the subprotocol. */
export function settingLacked(config: Config, target: Target, canSignIn: boolean): Sentence {
  if (target.kind === 'hosted') return sentences.hosted;
  if (asksForKey(config, target)) return canSignIn ? sentences.key : sentences.keyOfOldClient;
  return canSignIn ? sentences.basic : sentences.oldClient;
}

/**
 * The reason in the close frame: the reference's in the access mode `basic`, else the setting that the client lacks.
 */
export function closeReason(config: Config, target: Target): string {
  return asksForKey(config, target) ? settingLacked(config, target, true) : REASON;
}

/** Logs refused sockets, at most once a minute for each way in which a client is set up wrongly. */
export class RefusedSockets {
  readonly #logger: Logger;
  readonly #lastTold = new Map<Sentence, number>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  tell(sentence: Sentence, path: string, userAgent: string | undefined): void {
    const now = performance.now();
    const last = this.#lastTold.get(sentence);
    if (last !== undefined && now - last < QUIET_MILLISECONDS) return;
    this.#lastTold.set(sentence, now);
    this.#logger.warn(
      { path, client: userAgent?.slice(0, 100) },
      `A client opened a websocket without a credential, and its task runs and events are not recorded. ${sentence}.`,
    );
  }
}
