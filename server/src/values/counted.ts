/** `1 secret`, `2 secrets`: a number with its noun. `many`: a plural that is not made with s. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
