/** The result of one check of the doctor, in sentences. */
export interface Finding {
  readonly subject: string;
  /** `warning`: it works now, but may stop working, or does not work for everyone. */
  readonly state: 'ok' | 'warning' | 'problem';
  readonly says: string;
  /** The advice. */
  readonly cure?: string;
}

const MOST_NAMED = 5;

/** The first names as a text; `count` is the number of all. */
export function firstOf(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, MOST_NAMED);
  const more = count > shown.length ? ` and ${count - shown.length} more` : '';
  return shown.join(', ') + more;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** For example, `3.2 GB`. */
export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** power).toFixed(1))} ${UNITS[power]}`;
}
