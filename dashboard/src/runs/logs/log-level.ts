/** The levels of log lines, as Python names them. */
export function levelOf(level: number): { readonly name: string; readonly className: string } {
  if (level >= 50) return { name: 'CRIT', className: 'text-crashed-text' };
  if (level >= 40) return { name: 'ERROR', className: 'text-failed-text' };
  if (level >= 30) return { name: 'WARN', className: 'text-late-text' };
  if (level >= 20) return { name: 'INFO', className: 'text-soft' };
  return { name: 'DEBUG', className: 'text-quiet' };
}
