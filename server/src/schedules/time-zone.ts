/** The error message when `name` is not a time zone, else undefined. The empty text and null mean UTC. */
export function timeZoneFault(name: string | null | undefined): string | undefined {
  if (!name || isTimeZone(name)) return undefined;
  return `Invalid timezone: "${name}" (specify in IANA tzdata format, for example, America/New_York)`;
}

/** True for names of the IANA database in its spelling; offsets such as `+02:00` are not names. */
function isTimeZone(name: string): boolean {
  if (/^[-+]/.test(name)) return false;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId === name;
  } catch {
    return false;
  }
}
