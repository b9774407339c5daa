/** A body of type `application/x-www-form-urlencoded` as an object of texts; the last of repeated fields wins. */
export function readForm(body: Buffer | undefined): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(body?.toString('utf8') ?? ''));
}
