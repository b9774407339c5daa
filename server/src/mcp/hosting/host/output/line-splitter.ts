/** Cuts output into lines of bounded length. */
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/** `cut` is true if the line was longer than the limit; its rest is dropped. */
type LineListener = (line: Buffer, cut: boolean) => void;

export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: LineListener;
  #parts: Buffer[] = [];
  #size = 0;
  #cut = false;

  constructor(maxBytes: number, onLine: LineListener) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      this.#flush();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** The output has ended: the text after the last line break is a line too. */
  end(): void {
    if (this.#size > 0) this.#flush();
  }

  #add(part: Buffer): void {
    const room = this.#maxBytes - this.#size;
    if (part.length > room) this.#cut = true;
    const taken = part.subarray(0, room);
    if (taken.length === 0) return;
    this.#parts.push(taken);
    this.#size += taken.length;
  }

  #flush(): void {
    let line = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    if (line.at(-1) === CARRIAGE_RETURN) line = line.subarray(0, -1);
    const cut = this.#cut;
    this.#parts = [];
    this.#size = 0;
    this.#cut = false;
    this.#onLine(line, cut);
  }
}
