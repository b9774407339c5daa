/** Checks values that a person types into a form against the JSON Schema of the form. */
import type { Db } from '../../database/store.ts';
import { Unprocessable } from '../../errors.ts';
import { SchemaFault } from '../../json-schema/schema-error.ts';
import { schemaErrors } from '../../json-schema/validate.ts';
import { type JsonText, jsonTextOf, parseObject } from '../../values/json.ts';
import { hydrateForForm } from '../parameters/hydration.ts';
import { parameterSchemaFault, prepareSchema } from '../parameters/parameter-schema.ts';
import type { SchemaValuesValidationResponse, ValueFault } from './schema.ts';

type Step = string | number;

/** The most faults, and the most characters of faults, that a form shows. */
const MAX_FAULTS = 1000;
const MAX_CHARACTERS = 1_000_000;

/**
 * All faults of the values, at their places. Placeholders are filled in first. A placeholder that cannot be filled in
 * is a fault at its place, and a template may become any value. Throws Unprocessable when the schema cannot be applied.
 */
export async function validateFormValues(
  db: Db,
  schema: JsonText,
  values: JsonText,
): Promise<SchemaValuesValidationResponse> {
  const prepared = prepareSchema(parseObject(schema));
  const unsound = parameterSchemaFault(jsonTextOf(prepared));
  if (unsound !== undefined) throw new Unprocessable(`Invalid schema: ${unsound}`);
  const hydrated = await hydrateForForm(db, values);
  const errors = faultsOf(hydrated, prepared);
  return { errors, valid: errors.length === 0 };
}

function faultsOf(values: unknown, schema: Record<string, unknown>): ValueFault[] {
  const faults: ValueFault[] = [];
  try {
    let characters = 0;
    for (const { keyword, path, message } of schemaErrors(values, schema, { checkFormats: true }).slice(
      0,
      MAX_FAULTS,
    )) {
      characters += message.length;
      if (faults.length > 0 && characters > MAX_CHARACTERS) break;
      place(faults, placeOf(keyword, path, message), message);
    }
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    const reason = error.kind === 'reference' ? 'Validation failed. Failure reason: ' : '';
    throw new Unprocessable(`Invalid schema: ${reason}${error.message}`);
  }
  return faults;
}

/** A missing property is shown as a fault of its own, not of the object that lacks it. */
function placeOf(keyword: string | undefined, path: readonly Step[], message: string): readonly Step[] {
  if (keyword !== 'required') return path;
  const name = /^(['"])(.*)\1 is a required property$/s.exec(message)?.[2];
  return name === undefined ? path : [...path, name];
}

/** Faults further inside share the first entry of each step; a fault of a place itself gets its own entry. */
function place(faults: ValueFault[], [step, ...inner]: readonly Step[], message: string): void {
  if (step === undefined) {
    faults.push(message);
    return;
  }
  if (inner.length === 0) {
    faults.push(entryOf(step, [message]));
    return;
  }
  let entry = faults.find((fault) => isAt(fault, step));
  if (entry === undefined || typeof entry === 'string') {
    entry = entryOf(step, []);
    faults.push(entry);
  }
  place(entry.errors, inner, message);
}

function entryOf(step: Step, errors: ValueFault[]) {
  return typeof step === 'number' ? { index: step, errors } : { property: step, errors };
}

function isAt(fault: ValueFault, step: Step): boolean {
  if (typeof fault === 'string') return false;
  return 'property' in fault ? fault.property === step : fault.index === step;
}
