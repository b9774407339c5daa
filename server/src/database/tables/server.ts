/** Tables that a server keeps about its database itself. */

/** One row, written to find out whether the database takes writes. */
export const write_probe = { writes: 'integer' } as const;
