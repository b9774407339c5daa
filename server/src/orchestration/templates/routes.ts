import { noContent, PlainBody, type Route, route } from '../../http/route.ts';
import { jsonTextOf } from '../../json.ts';
import { Type, withDefault } from '../../schema/kinds.ts';
import { faultOfTemplate } from './validate.ts';

export const templateRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/templates/validate',
    operationId: 'validate_template_templates_validate_post',
    tags: ['Automations'],
    permission: 'automations:read',
    body: withDefault(Type.String(), ''),
    bodyOptional: true,
    responses: { 204: null },
    async handler({ body }) {
      const error = faultOfTemplate(body ?? '');
      if (error === undefined) return noContent;
      // The shape is none of the shapes that the reference documents for this status.
      return { status: 422, body: new PlainBody('application/json', jsonTextOf({ error })) };
    },
  }),
];
