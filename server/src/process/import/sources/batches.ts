/** The results in the order of the items, of which at most `atOnce` are in progress. The first failure ends it. */
export async function mapAtOnce<T, R>(
  atOnce: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const answers = new Array<R>(items.length);
  const entries = items.entries();
  const worker = async () => {
    for (const [index, item] of entries) answers[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return answers;
}
