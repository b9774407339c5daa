import { sql } from 'kysely';
import type { FilterFields } from '../../database/filters.ts';

export const workPoolFields: FilterFields = {
  id: { kind: 'id', column: sql`work_pool.id` },
  name: { kind: 'text', column: sql`work_pool.name` },
  type: { kind: 'text', column: sql`work_pool.type` },
};

export const workQueueFields: FilterFields = {
  id: { kind: 'id', column: sql`work_queue.id` },
  name: { kind: 'text', column: sql`work_queue.name` },
};
