/** Tables of facts that a server keeps about its database. */

/** One row, written to test whether the database accepts writes. */
export const write_probe = { writes: 'integer' } as const;
