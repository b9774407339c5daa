/**
 * Decoders of lists, sets and tuples. Source: the Prefect server 3.9.1, with which
 * server/test/conformance/validation-rules.test.ts compares.
 */
import { isPrinted, jsonTextOf } from '../values/json.ts';
import type { DecoderOf } from './decode-objects.ts';
import { type Decoder, LAX, plural, REFUSED, type Report } from './issues.ts';
import { isSequence } from './kinds.ts';
import { listItems, type SchemaNode, tupleItems } from './schema-node.ts';

export function arrayDecoder(schema: SchemaNode, decoderOf: DecoderOf): Decoder {
  const tuple = tupleItems(schema);
  if (tuple) return tupleDecoder(tuple.map(decoderOf));
  const items = listItems(schema);
  if (!items)
    return (input, report) =>
      Array.isArray(input) || isPrinted(input, 'array') ? jsonTextOf(input) : refuseList(input, report);
  if (schema.uniqueItems) return setDecoder(schema, decoderOf(items));
  const decode = listDecoder(schema, decoderOf(items));
  if (!isSequence(schema)) return decode;
  return (input, report) => (Array.isArray(input) ? decode(input, report) : refuseSequence(input, report));
}

function refuseSequence(input: unknown, report: Report): typeof REFUSED {
  if (typeof input !== 'string') {
    return report.refuse('is_instance_of', 'Input should be an instance of Sequence', input, { class: 'Sequence' });
  }
  const msg = "'str' instances are not allowed as a Sequence value";
  return report.refuse('sequence_str', msg, input, { type_name: 'str' });
}

function refuseList(input: unknown, report: Report): typeof REFUSED {
  return report.refuse('list_type', 'Input should be a valid list', input);
}

function listDecoder({ minItems = 0, maxItems = Number.POSITIVE_INFINITY }: SchemaNode, decode: Decoder): Decoder {
  return (input, report) => {
    if (!Array.isArray(input)) return refuseList(input, report);
    if (input.length > maxItems) return refuseLong('List', maxItems, input.length, input, report);
    const before = report.issues.length;
    const result: unknown[] = [];
    for (let index = 0; index < input.length && !report.isFull; index++) {
      const from = report.issues.length;
      const value = decode(input[index], report);
      if (value === REFUSED) report.within(index, from);
      else result.push(value);
    }
    if (report.issues.length > before) return REFUSED;
    return result.length < minItems ? refuseShort('List', minItems, result.length, input, report) : result;
  };
}

function setDecoder({ minItems = 0, maxItems = Number.POSITIVE_INFINITY }: SchemaNode, decode: Decoder): Decoder {
  return (input, report) => {
    if (!Array.isArray(input)) return report.refuse('set_type', 'Input should be a valid set', input);
    report.lower(LAX);
    const before = report.issues.length;
    const result = new Set<unknown>();
    for (let index = 0; index < input.length && !report.isFull; index++) {
      const from = report.issues.length;
      const value = decode(input[index], report);
      if (value === REFUSED) report.within(index, from);
      else result.add(value);
      if (result.size > maxItems) {
        report.issues.length = before;
        return refuseLong('Set', maxItems, null, input, report);
      }
    }
    if (report.issues.length > before) return REFUSED;
    return result.size < minItems ? refuseShort('Set', minItems, result.size, input, report) : [...result];
  };
}

function tupleDecoder(decoders: readonly Decoder[]): Decoder {
  return (input, report) => {
    if (!Array.isArray(input)) return report.refuse('tuple_type', 'Input should be a valid tuple', input);
    report.lower(LAX);
    if (input.length > decoders.length) return refuseLong('Tuple', decoders.length, input.length, input, report);
    const before = report.issues.length;
    const result = decoders.map((decode, index) => {
      const from = report.issues.length;
      const value =
        index < input.length ? decode(input[index], report) : report.refuse('missing', 'Field required', input);
      if (value === REFUSED) report.within(index, from);
      return value;
    });
    return report.issues.length > before ? REFUSED : result;
  };
}

type Kind = 'List' | 'Set' | 'Tuple' | 'Value';

/** `length` is null if the items were not all counted. */
export function refuseLong(
  kind: Kind,
  most: number,
  length: number | null,
  input: unknown,
  report: Report,
): typeof REFUSED {
  const msg = `${kind} should have at most ${most} item${plural(most)} after validation, not ${length ?? 'more'}`;
  return report.refuse('too_long', msg, input, { field_type: kind, max_length: most, actual_length: length });
}

function refuseShort(kind: Kind, least: number, length: number, input: unknown, report: Report): typeof REFUSED {
  const msg = `${kind} should have at least ${least} item${plural(least)} after validation, not ${length}`;
  return report.refuse('too_short', msg, input, { field_type: kind, min_length: least, actual_length: length });
}
