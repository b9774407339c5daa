/** One line of the palette. It opens `path`, or runs an action. */
export interface Target {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly path?: string;
  readonly act?: () => void;
  /** The key that does the same on the page. */
  readonly shortcut?: string | undefined;
  /** True if the text begins its name or says exactly what it does, so that Enter need not wait for the server. */
  readonly isNamed?: boolean;
}
