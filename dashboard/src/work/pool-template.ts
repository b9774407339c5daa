/** The base job template of a work pool and the defaults of its variables. */
import { type FormValues, objectOf } from '../components/schema-form/form-schema.ts';

function propertiesOf(template: FormValues) {
  return objectOf(objectOf(template['variables'])['properties']);
}

export function defaultsOf(template: FormValues): FormValues {
  const given = Object.entries(propertiesOf(template)).map(([name, property]) => [name, objectOf(property)['default']]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined && value !== null));
}

/** A default is optional, even for a variable that each job requires. */
export function withoutRequired(template: FormValues): FormValues {
  const { required: _, ...variables } = objectOf(template['variables']);
  return variables;
}

/** The template with these defaults; a variable without one gets none. */
export function withDefaults(template: FormValues, values: FormValues): Record<string, unknown> {
  const changed = Object.entries(propertiesOf(template)).map(([name, property]) => {
    const { default: old, ...rest } = objectOf(property);
    if (name in values) return [name, { ...rest, default: values[name] }];
    return [name, old === null ? { ...rest, default: null } : rest];
  });
  const variables = { ...objectOf(template['variables']), properties: Object.fromEntries(changed) };
  return { ...template, variables };
}
