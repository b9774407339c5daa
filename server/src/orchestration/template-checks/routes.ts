import { noContent, PlainBody, type Route } from '../../http/routes/route.ts';
import { routesOf } from '../../http/routes/routes-of.ts';
import { Type, withDefault } from '../../schema/kinds.ts';
import { TemplateSyntaxError } from '../../templates/syntax/template-error.ts';
import { Template } from '../../templates/template.ts';
import { jsonTextOf } from '../../values/json.ts';

/** The second path is from the time before templates had routes of their own. */
const paths = [
  ['/templates/validate', 'validate_template_templates_validate_post'],
  ['/automations/templates/validate', 'validate_template_automations_templates_validate_post'],
] as const;

const { search } = routesOf('Automations', 'automations');

export const templateRoutes: readonly Route[] = paths.map(([path, operationId]) =>
  search(path, operationId, {
    summary: 'Check a template',
    description:
      'Parses a Jinja template of an action: 204 if it is valid, otherwise 422 with the line of the error, counted from 1.',
    body: withDefault(Type.String(), ''),
    bodyOptional: true,
    responses: { 204: null },
    async handler({ body }) {
      const error = faultOfTemplate(body ?? '');
      if (error === undefined) return noContent;
      // The reference documents other shapes for this status, but returns this one.
      return { status: 422, body: new PlainBody('application/json', jsonTextOf({ error })) };
    },
  }),
);

/** The fault of a user's template, in the shape of the reference's answer. */
interface TemplateFault {
  /** Counted from 1; 0 when the fault concerns the whole template. */
  readonly line: number;
  readonly message: string;
  readonly source: string;
}

/** Undefined when the template is valid. */
function faultOfTemplate(source: string): TemplateFault | undefined {
  try {
    new Template(source);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    return { line: error.line, message: error.message, source };
  }
}
