/**
 * A request is admitted before its body is read, and a body may come as slowly as a second for every 16 kB. By then the
 * access may have ended, so a caller who was admitted this long ago is checked again before the request has an effect.
 */
const VALID_MILLISECONDS = 250;

/** `since` is when the request was admitted, by `performance.now()`. */
export function isOutdated(since: number): boolean {
  return performance.now() - since > VALID_MILLISECONDS;
}
