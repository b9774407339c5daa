/** Formats figures of requests for tables. */

/** Requests that failed at the server, or that the gateway could not read. A denied request did not fail. */
export function failedOf({ failed, invalid }: { readonly failed: number; readonly invalid: number }): number {
  return failed + invalid;
}

/** For example, `0.4 ms`, `83 ms` or `2.1 s`. */
export function milliseconds(microseconds: number | null): string {
  if (microseconds === null) return '–';
  // The bounds apply to the rounded numbers: 999.9 ms is a second.
  if (microseconds < 9_950) return `${(microseconds / 1000).toFixed(1)} ms`;
  if (microseconds < 999_500) return `${Math.round(microseconds / 1000)} ms`;
  return `${(microseconds / 1_000_000).toFixed(1)} s`;
}

export function count(value: number): string {
  return value.toLocaleString('en');
}

/** For example, `8.2 kB` or `64 MB`. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  if (value < 999_950) return `${(value / 1000).toFixed(1)} kB`;
  return `${Math.round(value / 1_000_000)} MB`;
}

/** For example, `1 run` or `1,204 runs`. */
export function counted(number: number, what: string): string {
  return `${count(number)} ${what}${number === 1 ? '' : 's'}`;
}
