/** Polls until another process or a timer has produced the answer; throws after the deadline. */
export async function until<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  seconds = 20,
): Promise<T> {
  const deadline = performance.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > deadline) throw new Error(`Timed out after ${seconds} s: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
