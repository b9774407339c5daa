/** The program of a process that serves behind a supervisor. */
import { SupervisorLink } from '../supervision/link.ts';
import { problemOf, serveShare } from './serving.ts';

const link = new SupervisorLink();
const start = await link.start();
try {
  await serveShare(link, start);
} catch (error) {
  const problem = problemOf(error);
  if (problem === undefined) throw error;
  await link.refuse(problem);
  process.exit(2);
}
