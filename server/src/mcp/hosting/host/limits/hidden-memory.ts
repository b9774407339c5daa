/**
 * Without a kernel limit of memory, a program must not allocate memory that belongs to no process: System V segments,
 * and memory files, which stay even if no process has mapped them. The filter makes the calls for them fail as if they
 * did not exist. Source: seccomp(2), linux/filter.h; numbers from asm/unistd.h of each architecture.
 */

const LOAD_WORD = 0x20;
const JUMP_EQUAL = 0x15;
const RETURN = 0x06;
/** Offsets in `struct seccomp_data`. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const ALLOW = 0x7fff_0000;
const ENOSYS = 0x0005_0000 | 38;

interface Calls {
  readonly architecture: number;
  readonly shmget: number;
  readonly memfdCreate: number;
  readonly memfdSecret: number;
}

const CALLS: Partial<Record<string, readonly Calls[]>> = {
  x64: [
    { architecture: 0xc000_003e, shmget: 29, memfdCreate: 319, memfdSecret: 447 },
    { architecture: 0x4000_0003, shmget: 395, memfdCreate: 356, memfdSecret: 447 },
  ],
  arm64: [
    { architecture: 0xc000_00b7, shmget: 194, memfdCreate: 279, memfdSecret: 447 },
    { architecture: 0x4000_0028, shmget: 307, memfdCreate: 385, memfdSecret: 447 },
  ],
};
/** `ipc(2)` of 32-bit x86, and the second table of 64-bit x86. */
const IPC = 117;
const X32_BIT = 0x4000_0000;

/** The program for the kernel; undefined for an unknown architecture. */
export function hiddenMemoryFilter(architecture: string = process.arch): Buffer | undefined {
  const known = CALLS[architecture];
  if (!known) return undefined;
  const instructions: (readonly [code: number, yes: number, no: number, value: number])[] = [];
  for (const { architecture: id, shmget, memfdCreate, memfdSecret } of known) {
    const numbers = [shmget, memfdCreate, memfdSecret, IPC];
    if (architecture === 'x64' && id === 0xc000_003e)
      numbers.push(...[shmget, memfdCreate, memfdSecret].map((call) => call + X32_BIT));
    const refused = id === 0xc000_003e || id === 0xc000_00b7 ? numbers.filter((call) => call !== IPC) : numbers;
    instructions.push(
      [LOAD_WORD, 0, 0, ARCHITECTURE],
      [JUMP_EQUAL, 0, refused.length + 3, id],
      [LOAD_WORD, 0, 0, NUMBER],
    );
    for (const [at, call] of refused.entries()) instructions.push([JUMP_EQUAL, refused.length - at, 0, call]);
    instructions.push([RETURN, 0, 0, ALLOW], [RETURN, 0, 0, ENOSYS]);
  }
  instructions.push([RETURN, 0, 0, ALLOW]);
  const program = Buffer.alloc(instructions.length * 8);
  for (const [at, [code, yes, no, value]] of instructions.entries()) {
    program.writeUInt16LE(code, at * 8);
    program.writeUInt8(yes, at * 8 + 2);
    program.writeUInt8(no, at * 8 + 3);
    program.writeUInt32LE(value, at * 8 + 4);
  }
  return program;
}
