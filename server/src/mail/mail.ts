/**
 * Sends all mail of this server. It limits the mails that an organization causes and that one address gets, and the
 * connections to the mail server. Without `SIGNALBOX_SMTP_URL` it sends nothing.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { MailConfig } from '../config.ts';
import { TooManyRequests, Unavailable } from '../errors.ts';
import type { Capacity } from '../fairness/capacity.ts';
import { Gate, TWO_THIRDS } from '../fairness/gate.ts';
import type { Attempt, Attempts, CountedAttempt, Limit } from '../rates/attempts.ts';
import { isMailbox } from '../settings/mail.ts';
import { counted } from '../values/counted.ts';
import { attempt } from '../watching/background.ts';
import type { Logger } from '../watching/logger.ts';
import { mails } from '../watching/telemetry.ts';
import type { Letter } from './letter.ts';
import { deliver } from './smtp.ts';

/** Waiting mails of one organization. */
const MAX_WAITING = 50;
const WAIT_MILLISECONDS = 10_000;
/** Mails that requests have queued and that are not sent yet. */
const MAX_LEFT = 200;
/**
 * Delay between the answer of a request and its queued mail, so that the time of the answer does not reveal whether
 * there is a mail.
 */
const AFTER_ANSWER_MILLISECONDS = 50;
/** Seconds before each further attempt at a queued mail. */
const RETRY_SECONDS = [1, 15, 120];
/** Seconds that running deliveries have when the server stops. */
const STOP_SECONDS = 3;

/** Limit for mails of one kind to one address, so that nobody can use the server to flood a mailbox. */
const toAddress: Limit = { name: 'mail-address', atOnce: 20, everySeconds: 180 };

/** The requester of a mail. */
interface MailCause {
  /** Null for a mail that concerns no organization: only the limit of its address applies. */
  readonly organizationId: string | null;
}

type Delivery =
  /** The mail server accepted the mail. */
  | { readonly sent: true }
  /** `reason` is a sentence for the person who caused the mail. */
  | { readonly sent: false; readonly reason: string; readonly mayPass: boolean };

interface MailParts {
  readonly config: MailConfig | undefined;
  readonly attempts: Attempts;
  readonly logger: Pick<Logger, 'warn'>;
  readonly capacity: Pick<Capacity, 'mails'>;
}

export class Mail {
  readonly #config: MailConfig | undefined;
  readonly #attempts: Attempts;
  readonly #logger: Pick<Logger, 'warn'>;
  readonly #places: Gate;
  readonly #left = new Set<Promise<void>>();
  /** Ends waits for another attempt at the stop; `#ending` then ends running deliveries. */
  readonly #closing = new AbortController();
  readonly #ending = new AbortController();

  constructor({ config, attempts, logger, capacity }: MailParts) {
    this.#config = config;
    this.#attempts = attempts;
    this.#places = new Gate({
      name: 'mails',
      places: capacity.mails,
      levels: [TWO_THIRDS],
      waits: { milliseconds: WAIT_MILLISECONDS, mostOfOne: MAX_WAITING },
    });
    this.#logger = logger;
  }

  /** True if this server sends mail. */
  get isOn(): boolean {
    return this.#config !== undefined;
  }

  /** Sends a mail, in at most half a minute. Never throws because of the mail, its address or the mail server. */
  async send(letter: Letter, cause: MailCause, signal?: AbortSignal): Promise<Delivery> {
    const config = this.#config;
    if (!config) return failed('This server sends no mail: SIGNALBOX_SMTP_URL is not set.');
    if (!isMailbox(letter.to)) return this.#tell(letter, failed('This server cannot send mail to such an address.'));
    let begun: Attempt;
    try {
      begun = await this.#attempts.begin(this.#limitsOf(config, letter, cause));
    } catch (error) {
      // The change that the mail announces is committed and stays, with or without the mail.
      if (error instanceof Unavailable)
        return this.#tell(letter, failed(`The mail was not sent: ${error.message}`, true));
      if (!(error instanceof TooManyRequests)) throw error;
      const minutes = Math.ceil(Number(error.headers['retry-after']) / 60);
      const wait = `Try again in ${counted(minutes, 'minute')}.`;
      return this.#tell(
        letter,
        failed(`Too many mails were sent to this address or by this organization. ${wait}`),
        'limited',
      );
    }
    const ends = AbortSignal.any([this.#ending.signal, ...(signal ? [signal] : [])]);
    const delivery = await this.#deliver(config, letter, cause, ends);
    if (!delivery.sent) await begun.takeBack();
    return delivery;
  }

  /**
   * Makes and sends a mail after the request has been answered, and tries again while the mail server is away. `make`
   * returns undefined if no mail is needed. The mail is lost if this process ends before.
   */
  later(make: () => Promise<Letter | undefined>, cause: MailCause): void {
    if (this.#left.size >= MAX_LEFT || this.#closing.signal.aborted) {
      this.#logger.warn('a mail was not sent: too many wait for the mail server');
      return;
    }
    const work = attempt('a mail that a request has queued', () => this.#sendLeft(make, cause)).finally(() => {
      this.#left.delete(work);
    });
    this.#left.add(work);
  }

  /** Gives running deliveries a moment, and drops mails that wait for another attempt. */
  async close(): Promise<void> {
    this.#closing.abort();
    const timer = setTimeout(() => this.#ending.abort(), STOP_SECONDS * 1000);
    await Promise.all(this.#left);
    clearTimeout(timer);
    this.#ending.abort();
  }

  async #sendLeft(make: () => Promise<Letter | undefined>, cause: MailCause): Promise<void> {
    await pause(AFTER_ANSWER_MILLISECONDS);
    const letter = await make();
    if (!letter) return;
    for (const seconds of [...RETRY_SECONDS, undefined]) {
      const delivery = await this.send(letter, cause);
      if (delivery.sent || !delivery.mayPass || seconds === undefined) return;
      if (!(await this.#wait(seconds * 1000))) return;
    }
  }

  /** False when the server stops during the wait. */
  async #wait(milliseconds: number): Promise<boolean> {
    await pause(milliseconds, undefined, { signal: this.#closing.signal }).catch(() => {});
    return !this.#closing.signal.aborted;
  }

  #limitsOf(config: MailConfig, { kind, to }: Letter, { organizationId }: MailCause): CountedAttempt[] {
    const everySeconds = 3600 / config.perHour;
    const ofOrganization: Limit = { name: 'mail-organization', atOnce: config.perHour, everySeconds };
    return [
      { limit: toAddress, subject: `${kind} ${to}` },
      ...(organizationId === null ? [] : [{ limit: ofOrganization, subject: organizationId }]),
    ];
  }

  async #deliver(
    config: MailConfig,
    letter: Letter,
    { organizationId }: MailCause,
    ends: AbortSignal,
  ): Promise<Delivery> {
    let release: () => void;
    try {
      release = await this.#places.acquire([organizationId ?? ''], { signal: ends });
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      return this.#tell(letter, failed('Too many mails wait for the mail server.', true), 'limited');
    }
    try {
      const fault = await deliver(config, letter, ends);
      if (!fault) return this.#tell(letter, { sent: true });
      this.#logger.warn({ kind: letter.kind, fault: fault.detail }, 'a mail was not sent');
      return this.#tell(letter, failed(fault.reason, fault.mayPass));
    } finally {
      release();
    }
  }

  #tell({ kind }: Letter, delivery: Delivery, cause: 'failed' | 'limited' = 'failed'): Delivery {
    mails.note({ kind, outcome: delivery.sent ? 'sent' : cause });
    return delivery;
  }
}

function failed(reason: string, mayPass = false): Delivery {
  return { sent: false, reason, mayPass };
}
