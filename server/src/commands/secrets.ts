import type { Rotation } from '../platform/secrets/rotate.ts';
import { type Command, operate, print } from './command.ts';

export const secretCommands: readonly Command[] = [
  {
    words: 'secrets rotate',
    says: 'a new encryption key for what is stored',
    flags: [],
    json: true,
    /** The outcome on stdout, the progress on stderr. Exit code 1 when some secrets cannot be read. */
    async run(flags, json) {
      let unreadable = 0;
      const code = await operate(flags, async (_context, operator) => {
        const rotation = await operator.rotateSecrets((done, total) =>
          process.stderr.write(`${done} of ${total} secrets\n`),
        );
        unreadable = rotation.unreadable;
        print(json, rotation, described(rotation));
      });
      return unreadable > 0 ? 1 : code;
    },
  },
];

function described({ keyId, isNew, reencrypted, unreadable, retired, kept }: Rotation): string {
  return [
    `${isNew ? 'A new key' : 'The key'} ${keyId} encrypts; ${reencrypted} secrets were written anew under it.`,
    ...(unreadable > 0 ? [`${unreadable} secrets cannot be read with any known key and stay as they are.`] : []),
    ...(retired.length > 0 ? [`Nothing needs these keys any more, and they are gone: ${retired.join(', ')}.`] : []),
    ...(kept.length > 0
      ? [`Still known: ${kept.join(', ')}. Run this again in ten minutes to take away what nothing needs.`]
      : []),
  ].join('\n');
}
