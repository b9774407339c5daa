import { sql } from 'kysely';
import type { FilterFields } from '../../database/filters.ts';

/** Filterable fields of an automation. Adding one to the API is adding it here and to `AutomationFilter`. */
export const automationFields: FilterFields = {
  id: { kind: 'id', column: sql`automation.id` },
  name: { kind: 'text', column: sql`automation.name` },
  created: { kind: 'time', column: sql`automation.created` },
  tags: { kind: 'tags', column: sql`automation.tags` },
};
