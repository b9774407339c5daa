const TIME = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?(Z|[+-]\d\d:?\d\d)?$/;

/** A uuid or an ISO 8601 time anywhere in a text. */
export const EMBEDDED =
  /([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:?\d\d)?)/i;

/** Microseconds since 1970 of an ISO 8601 time; without an offset it is UTC. Undefined for any other text. */
export function microsecondsIn(text: string): bigint | undefined {
  const match = TIME.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', offset = 'Z'] = match;
  const whole = new Date(0);
  whole.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  whole.setUTCHours(Number(hour), Number(minute), Number(second));
  const away = offset === 'Z' ? 0 : (offset[0] === '-' ? -1 : 1) * minutesOf(offset);
  return BigInt(whole.getTime() - away * 60_000) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

function minutesOf(offset: string): number {
  return Number(offset.slice(1, 3)) * 60 + Number(offset.slice(-2));
}

/** The format of a time: without its digits and without a fraction (which is left out when it is zero). */
export function notation(text: string): string {
  return text.replace(/\.\d+/, '').replace(/\d/g, '9');
}

/**
 * Knows which times came from the client: those must be returned exactly, while a time of a server's own clock may
 * differ by the distance of the two requests. A time without a fraction hardly ever comes from a clock, so it follows
 * from the client's times and must agree exactly too.
 */
export class Times {
  readonly #sent = new Set<bigint>();
  readonly #toleranceMicroseconds: bigint;
  #lagSeconds = 0;
  readonly #spans: { readonly start: bigint; readonly end: bigint }[] = [];

  constructor(toleranceSeconds: number) {
    this.#toleranceMicroseconds = BigInt(Math.round(toleranceSeconds * 1e6));
  }

  addSent(text: string): void {
    const instant = microsecondsIn(text);
    if (instant !== undefined) this.#sent.add(instant);
  }

  /** True when the time must be the same on both servers. */
  isFixed(instant: bigint): boolean {
    return this.#sent.has(instant) || instant % 1_000_000n === 0n;
  }

  /** `clockOnly`: the field is always the server's clock, with any digits (`created`, `updated`). */
  agree(reference: bigint, ours: bigint, clockOnly: boolean): boolean {
    if (reference === ours) return true;
    if (!clockOnly && (this.isFixed(reference) || this.isFixed(ours))) return false;
    const apart = reference > ours ? reference - ours : ours - reference;
    if (apart <= this.#toleranceMicroseconds) return true;
    return this.#spans.some(({ start, end }) => [reference, ours].every((time) => time >= start && time <= end));
  }

  /** Total seconds by which one server was ever behind the other. */
  get lagSeconds(): number {
    return this.#lagSeconds;
  }

  /** A request that took one server much longer than the other: clock times of that span may differ as much. */
  addLag(startMilliseconds: number, endMilliseconds: number): void {
    this.addSpan(startMilliseconds, endMilliseconds);
    this.#lagSeconds += (endMilliseconds - startMilliseconds) / 1000;
  }

  /** A span in which both servers did the same at different times, such as their start. */
  addSpan(startMilliseconds: number, endMilliseconds: number): void {
    const [start, end] = [startMilliseconds, endMilliseconds].map((time) => BigInt(Math.round(time)) * 1000n);
    const margin = this.#toleranceMicroseconds;
    this.#spans.push({ start: (start as bigint) - margin, end: (end as bigint) + margin });
  }
}
