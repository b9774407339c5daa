import { OneOf, Shape, type Static, Type } from '../../schema/kinds.ts';

const searchedTypes = [
  'flow',
  'flow_run',
  'task_run',
  'deployment',
  'work_pool',
  'block_document',
  'automation',
  'variable',
  'artifact',
  'concurrency_limit',
] as const;

export const SearchHit = Shape(
  'SearchHit',
  { type: OneOf(searchedTypes), id: Type.String(), name: Type.String() },
  'ignore',
);
export type SearchHit = Static<typeof SearchHit>;
