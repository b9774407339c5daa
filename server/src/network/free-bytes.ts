/** Frees the memory of a buffer immediately. The buffer must own its memory; it is empty afterwards. */
export function freeBytes({ buffer }: Buffer): void {
  (buffer as ArrayBuffer).transfer(0);
}
