/**
 * Which parts of a large text its readers look into. `open`: only the text is wanted, or what was sent there cannot fit.
 * `closed`: the value itself is wanted, whatever is in it.
 */
export type Layout =
  | 'open'
  | 'closed'
  | { readonly items: Layout }
  | { readonly properties: ReadonlyMap<string, Layout> };
