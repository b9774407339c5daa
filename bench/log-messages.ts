/** Messages of log lines as programs write them: most have numbers that no other has. */
const tasks = ['extract', 'transform', 'load', 'validate', 'publish'];
const messages: readonly ((index: number) => string)[] = [
  (index) => `Created task run '${tasks[index % 5]}-${index % 97}' for task '${tasks[index % 5]}'`,
  () => 'Finished in state Completed()',
  (index) =>
    `Loaded ${index % 100_003} rows from s3://warehouse/raw/2026-11-${10 + (index % 20)}/part-${index % 300}.parquet`,
  (index) => `customer ${(index * 7919) % 50_021}: updated balance to ${(index * 31) % 10_007}.${index % 100} EUR`,
  (index) => `GET https://api.example.com/v1/orders/${(index * 104_729) % 1_000_003} returned 200 in ${index % 500} ms`,
  (index) => `Batch ${index % 1000} of 1000 written to table orders_daily`,
  (index) => `Heartbeat of worker ${index % 12} sent`,
];

export function messageAt(index: number): string {
  if (index % 1_000_000 === 77) return `disk of node-${index % 17} is full: quarantined volume`;
  if (index % 5000 === 3)
    return 'Traceback (most recent call last):\n  File "etl.py", line 7\nConnectionResetError: reset by peer';
  return messages[index % messages.length]!(index);
}
