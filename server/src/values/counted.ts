/** A number with its noun: `1 secret`, `2 secrets`. `many` is a plural that is not formed with s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
