export type DifferenceKind =
  | 'status'
  | 'header'
  | 'missing key'
  | 'extra key'
  | 'type'
  | 'value'
  | 'number kind'
  | 'id'
  | 'time'
  | 'time notation'
  | 'time relation'
  | 'updated'
  | 'name'
  | 'text'
  | 'length'
  | 'rows'
  | 'order'
  | 'validation'
  | 'validation order'
  | 'connection';

/** One difference between two answers. `reference` and `ours` are short texts for people. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Where in the answer, with `[]` for any element: `results[].state.name`; empty for the whole answer. */
  readonly path: string;
  readonly reference: string;
  readonly ours: string;
  /** The same object differed in the same way before: a consequence, not another fault. */
  readonly repeated: boolean;
}
