import { Enum, givenFieldsOnly, Maybe, Parts, Shape, type Static, Type, withDefault } from '../../schema/kinds.ts';
import { Labels, Name, stamps, Tags } from '../filters/field-schema.ts';
import { BulkDelete, BulkDeleted, limit, offset, Page, page } from '../filters/filter-schema.ts';
import { FlowFilter } from '../filters/flow-filter.ts';
import { nullableRunFilters, runFilters } from '../filters/related-filters.ts';
import { WorkPoolFilter } from '../filters/work-pool-filter.ts';

export const Flow = Shape(
  'Flow',
  { ...stamps, name: Name, tags: Type.Optional(Tags), labels: Maybe(Labels) },
  'ignore',
);
export type Flow = Static<typeof Flow>;

export const FlowCreate = Shape('FlowCreate', { name: Name, tags: Type.Optional(Tags), labels: Maybe(Labels) });
export type FlowCreate = Static<typeof FlowCreate>;

export const FlowUpdate = givenFieldsOnly(Shape('FlowUpdate', { tags: Type.Optional(Tags) }));
export type FlowUpdate = Static<typeof FlowUpdate>;

export const FlowSort = Enum('FlowSort', ['CREATED_DESC', 'UPDATED_DESC', 'NAME_ASC', 'NAME_DESC']);
export type FlowSort = Static<typeof FlowSort>;

export const FlowPaginationResponse = Page('FlowPaginationResponse', Flow);
export type FlowPaginationResponse = Static<typeof FlowPaginationResponse>;

export const FlowBulkDeleteResponse = BulkDeleted('FlowBulkDeleteResponse');
export type FlowBulkDeleteResponse = Static<typeof FlowBulkDeleteResponse>;

const filters = { ...runFilters, work_pools: Type.Optional(WorkPoolFilter) };
const nullableFilters = { ...nullableRunFilters, work_pools: Maybe(WorkPoolFilter) };
const sort = withDefault(FlowSort, 'NAME_ASC');

/** Bodies by the last segment of their route. */
export const flowBodies = {
  count: Parts(filters, 'Body_count_flows_flows_count_post'),
  filter: Parts({ offset, ...filters, sort, limit }, 'Body_read_flows_flows_filter_post'),
  paginate: Parts({ page, ...nullableFilters, sort, limit }, 'Body_paginate_flows_flows_paginate_post'),
  bulk_delete: BulkDelete('Body_bulk_delete_flows_flows_bulk_delete_post', { flows: Maybe(FlowFilter) }),
};
