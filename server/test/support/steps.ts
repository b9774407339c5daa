/**
 * Counts what code does, so that a test sees that work grows too fast, or is done twice, without measuring time: the
 * number is the same on every machine. A file that imports this runs more slowly, because V8 counts everything in it.
 */
import { Session } from 'node:inspector';

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

const OURS = new URL('../../src/', import.meta.url).href;

const session = new Session();
session.connect();
ask('Profiler.enable');
// At once: code that is compiled earlier counts calls of functions only.
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/**
 * How many blocks of the server's code (functions, branches, bodies of loops) run until `work` is done. What runs within
 * a built-in function, such as a regular expression, is not seen. Throws when nothing has run.
 */
export async function stepsOf(work: () => unknown): Promise<number> {
  // Counting begins again with each look.
  ask('Profiler.takePreciseCoverage');
  await work();
  const { result } = ask('Profiler.takePreciseCoverage') as Coverage;
  const sum = result
    .filter(({ url }) => url.startsWith(OURS))
    .flatMap(({ functions }) => functions)
    .flatMap(({ ranges }) => ranges)
    .reduce((steps, { count }) => steps + count, 0);
  if (sum === 0) throw new Error('No code of the server has run.');
  return sum;
}

/** The session answers before it returns. */
function ask(method: string, params: object = {}): unknown {
  let answer: unknown;
  session.post(method, params, (error, result) => {
    if (error) throw error;
    answer = result;
  });
  return answer;
}

/**
 * How many characters of `text`, whole, `JSON.parse` is given until `work` is done: steps leave out what runs in built-in
 * functions. A text that is parsed once gives its own length.
 */
export async function charactersParsedIn(text: string, work: () => unknown): Promise<number> {
  const { parse } = JSON;
  let characters = 0;
  JSON.parse = (...given: Parameters<typeof parse>) => {
    if (given[0] === text) characters += text.length;
    return parse(...given);
  };
  try {
    await work();
  } finally {
    JSON.parse = parse;
  }
  return characters;
}
