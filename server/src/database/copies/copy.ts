/** The number of rows of each table. */
export type Rows = Readonly<Record<string, number>>;

/** A copy, and the files of the home folder that it names. */
export interface Copy {
  readonly rows: Rows;
  /** Builds of MCP servers that have succeeded. */
  readonly builds: readonly { readonly server_id: string; readonly id: string }[];
  /** Archives that were uploaded. */
  readonly uploads: readonly { readonly id: string }[];
}
