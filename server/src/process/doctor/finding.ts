/** What the doctor says about one thing, in sentences. */
export interface Finding {
  readonly subject: string;
  /** `warning`: it works, and will not for ever or not for everybody. */
  readonly state: 'ok' | 'warning' | 'problem';
  readonly says: string;
  /** What to do about it. */
  readonly cure?: string;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `3.2 GB` */
export function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** power).toFixed(1))} ${UNITS[power]}`;
}
