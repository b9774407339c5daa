/** Characters at each end of a text that are compared: a text of megabytes would take a long turn. */
const END_LENGTH = 256;
/**
 * Occupied places that are tried for one text; then it counts as seen. This bounds the cost of texts that were chosen
 * to collide.
 */
const MOST_PROBES = 128;

/** A set of texts that stores 64 bits for each, so that a million of them are one object. */
export class SeenTexts {
  /** Two numbers for each place, both 0 if it is free. */
  #table = new Uint32Array(2 * 1024);
  #count = 0;

  /** False when the text was added before, and in rare cases for one that was not. */
  add(text: string): boolean {
    let one = text.length;
    let other = 1;
    const add = (from: number, to: number) => {
      for (let index = from; index < to; index++) {
        const code = text.charCodeAt(index);
        one = Math.imul(one ^ code, 0x01000193);
        other = Math.imul(other, 31) + code;
      }
    };
    if (text.length <= 2 * END_LENGTH) {
      add(0, text.length);
    } else {
      add(0, END_LENGTH);
      add(text.length - END_LENGTH, text.length);
    }
    if (4 * this.#count >= this.#table.length && !this.#grow()) return false;
    this.#count++;
    return insert(this.#table, mixed(one), (other | 1) >>> 0);
  }

  #grow(): boolean {
    const larger = new Uint32Array(2 * this.#table.length);
    for (let index = 0; index < this.#table.length; index += 2) {
      const other = this.#table[index + 1]!;
      if (other !== 0 && !insert(larger, this.#table[index]!, other)) return false;
    }
    this.#table = larger;
    return true;
  }
}

function insert(table: Uint32Array, one: number, other: number): boolean {
  const mask = table.length / 2 - 1;
  for (let probe = 0; probe < MOST_PROBES; probe++) {
    const index = 2 * ((one + probe) & mask);
    if (table[index + 1] === 0) {
      table[index] = one;
      table[index + 1] = other;
      return true;
    }
    if (table[index] === one && table[index + 1] === other) return false;
  }
  return false;
}

/** Spreads differing bits over the whole number: the last step of MurmurHash3. */
function mixed(value: number): number {
  let bits = value ^ (value >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
