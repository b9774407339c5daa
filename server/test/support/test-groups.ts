/** Which test files share a process. */
import { readFileSync } from 'node:fs';

/** A line of a file that would disturb others in its process, or be disturbed, with the reason. */
const OWN_PROCESS = /^\/\/ Runs in a process of its own: \S/m;
/** Few enough that the last groups of a run leave no processor idle for long, and enough that loading counts little. */
const LINES_OF_GROUP = 1500;

/** Neighbours in the order of their paths, so that a folder stays together; the largest groups first. */
export function groupsOf(files: readonly string[]): string[][] {
  const groups: { files: string[]; lines: number; alone: boolean }[] = [];
  for (const file of files.toSorted()) {
    const text = readFileSync(file, 'utf8');
    const lines = text.split('\n').length;
    const alone = OWN_PROCESS.test(text);
    const last = groups.findLast((group) => !group.alone);
    if (!alone && last && last.lines + lines <= LINES_OF_GROUP) {
      last.files.push(file);
      last.lines += lines;
    } else {
      groups.push({ files: [file], lines, alone });
    }
  }
  return groups.toSorted((one, other) => other.lines - one.lines).map((group) => group.files);
}
