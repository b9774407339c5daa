/** JSON numbers whose text holds more than a JavaScript number. */

/** A number kept in its printed form, made by `JSON.rawJSON`. */
export interface RawNumber {
  readonly rawJSON: string;
}

// The TypeScript library does not declare it yet; Node has it since version 21.
export const { rawJSON, isRawJSON: isRawNumber } = JSON as unknown as {
  rawJSON(text: string): RawNumber;
  /** True for a number that is kept as text, because a JavaScript number would print it differently. */
  isRawJSON(value: unknown): value is RawNumber;
};

/** The value of a JSON number of either form (rounded when it is a big integer), undefined for anything else. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return isRawNumber(value) ? Number(value.rawJSON) : undefined;
}

/** True for a JSON number that Python reads as a float: it has a fraction or an exponent. */
export function isFloat(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value);
  return isRawNumber(value) && /[.e]/.test(value.rawJSON);
}

/** A float as the reference prints it: `1.0`, `1e+16`, `0.00001`, `1.1e-6`; null when it is not finite. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size >= 1e16 || (size < 1e-5 && size > 0)) return value.toExponential();
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
