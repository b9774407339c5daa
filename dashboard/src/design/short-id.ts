/** The last eight letters of an id. The first of ids that were made on one day are the same. */
export function shortId(id: string): string {
  return id.slice(-8);
}
