/** The clocks of a machine, for servers whose time a test chooses. */
import type { LocalTime } from '../../src/values/time.ts';

/** Clocks that show so many milliseconds for each that passes; 0 stops them. */
export function timeAt(speed: number): LocalTime {
  const start = { wall: Date.now(), elapsed: performance.now() };
  const passed = () => (performance.now() - start.elapsed) * speed;
  return { wall: () => start.wall + passed(), elapsed: () => start.elapsed + passed() };
}

/** Clocks that stand still but for the milliseconds that a test lets pass. */
export function timeGiven(passed: () => number): LocalTime {
  const start = { wall: Date.now(), elapsed: performance.now() };
  return { wall: () => start.wall + passed(), elapsed: () => start.elapsed + passed() };
}

/** Clocks that are ahead by so many milliseconds. */
export function timeAhead(milliseconds: () => number): LocalTime {
  return { wall: () => Date.now() + milliseconds(), elapsed: () => performance.now() + milliseconds() };
}
