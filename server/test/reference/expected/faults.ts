/** The content of a refusal (422): its errors, as the comparison prints them, and the request that it repeats. */
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Request } from '../wire/http-client.ts';
import { isParsedObject, NumberText, type Parsed, readJson } from '../wire/json-text.ts';

/** Both servers continue to read behind it. */
const BYTE_ORDER_MARK = /^\uFEFF/;

/** True when the answer contains the body of the request as it was sent; a fraction may be written otherwise. */
export function repeats(answer: Answer, { body }: Request): boolean {
  const refusal = readJson(answer.text);
  const repeated = isParsedObject(refusal) ? refusal.request_body : undefined;
  if (repeated === undefined || typeof body !== 'string') return false;
  return isDeepStrictEqual(plain(repeated), plain(readJson(body.replace(BYTE_ORDER_MARK, ''))));
}

/** Parses each whole number as a bigint, and each other one as a number. */
function plain(value: Parsed): unknown {
  if (value instanceof NumberText) return value.isFloat ? value.value : BigInt(value.text);
  if (Array.isArray(value)) return value.map(plain);
  if (!isParsedObject(value)) return value;
  return new Map(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}

/** True for a 422 with one error whose message contains the text. */
export function isOnlyFault(text: string, { status, text: body }: Answer): boolean {
  const answer = readJson(body);
  const faults = isParsedObject(answer) && Array.isArray(answer.exception_detail) ? answer.exception_detail : [];
  const [fault] = faults.filter(isParsedObject);
  return status === 422 && faults.length === 1 && String(fault?.msg).includes(text);
}

/** The errors of a 422, as the comparison prints them, without those at a given position. */
export function withoutFaultsAt(place: RegExp, faults: string): string {
  return faults
    .split(/; (?=")/)
    .filter((fault) => !place.test(/ at (\[.*?\]): /.exec(fault)?.[1] ?? ''))
    .join('; ');
}

/** An error that names undeclared variables, with their names sorted. */
export function inNoOrder(faults: string): string {
  return faults.replace(/(?<=undeclared variable\(s\): )[^"]+(?=\.")/g, (names) => names.split(' ,').sort().join());
}

/** The errors of a 422 without those that contain a text, at one position when it is given. */
export function withoutFaultsThat(text: string, faults: string, place = /./): string {
  return faults
    .split(/; (?=")/)
    .filter((fault) => !fault.includes(text) || !place.test(/ at (\[.*?\]): /.exec(fault)?.[1] ?? ''))
    .join('; ');
}
