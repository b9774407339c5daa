/** The number of rows of each table. */
export type Rows = Readonly<Record<string, number>>;

/** A copy, and the files of the home folder to which it refers. */
export interface Copy {
  readonly rows: Rows;
  /** Successful builds of MCP servers. */
  readonly builds: readonly { readonly server_id: string; readonly id: string }[];
  /** Uploaded archives. */
  readonly uploads: readonly { readonly id: string }[];
}
