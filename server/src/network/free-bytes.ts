/** Gives the memory of a buffer back now. The buffer must have been made alone, and is empty from now on. */
export function freeBytes({ buffer }: Buffer): void {
  (buffer as ArrayBuffer).transfer(0);
}
