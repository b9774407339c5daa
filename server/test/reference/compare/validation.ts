import { isParsedObject, type Parsed, type ParsedObject, printJson } from '../wire/json-text.ts';

/** The comparison that finds the differences of two values. */
interface Comparing<Place> {
  report(kind: string, place: Place, reference: string, ours: string): void;
  values(reference: Parsed, ours: Parsed, place: Place): void;
}

/**
 * The errors of a 422: the same errors at the same positions with the same messages and order; then what each error
 * quotes from the request.
 */
export function compareValidation<Place extends { readonly path: string }>(
  comparison: Comparing<Place>,
  a: Parsed[],
  b: Parsed[],
  place: Place,
): void {
  const [faultsOfA, faultsOfB] = [a.map(fault), b.map(fault)];
  const same = faultsOfA.length === faultsOfB.length && faultsOfA.every((text, index) => text === faultsOfB[index]);
  if (!same) {
    const reordered = faultsOfA.toSorted().join('\n') === faultsOfB.toSorted().join('\n');
    const kind = reordered ? 'validation order' : 'validation';
    comparison.report(kind, place, faultsOfA.join('; '), faultsOfB.join('; '));
    return;
  }
  const each = { ...place, path: `${place.path}[]` };
  for (const [index, value] of a.entries()) comparison.values(quoted(value), quoted(b[index] as Parsed), each);
}

function fault(value: Parsed): string {
  if (!isParsedObject(value)) return printJson(value);
  return `${printJson(value.type ?? null)} at ${printJson(value.loc ?? null)}: ${printJson(value.msg ?? null)}`;
}

function quoted(value: Parsed): Parsed {
  if (!isParsedObject(value)) return value;
  const rest: ParsedObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (!['type', 'loc', 'msg'].includes(key)) rest[key] = member;
  }
  return rest;
}
