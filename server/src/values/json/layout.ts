/**
 * The parts of a large text whose content readers need. `open`: readers need only the text, or the value cannot fit.
 * `closed`: readers need the whole value.
 */
export type Layout =
  | 'open'
  | 'closed'
  | { readonly items: Layout }
  | { readonly properties: ReadonlyMap<string, Layout> };
