import type { Rotation } from '../platform/stored-secrets/rotate.ts';
import { counted } from '../values/counted.ts';
import { type Command, operate, print } from './command.ts';
import { progressLine } from './progress.ts';

export const secretCommands: readonly Command[] = [
  {
    words: 'secrets rotate',
    says: 'Encrypt the stored secrets with a new key. Run it again ten minutes later to remove the old key.',
    flags: [],
    json: true,
    /** The result goes to stdout, the progress to stderr. The exit code is 1 if some secrets cannot be read. */
    async run(flags, json) {
      let unreadable = 0;
      const code = await operate(flags, async (_context, operator) => {
        const progress = progressLine('Encrypting');
        const rotation = await operator
          .rotateSecrets((done, total) => progress.show(`secrets, ${done} of ${total}`))
          .finally(progress.end);
        unreadable = rotation.unreadable;
        print(json, rotation, described(rotation));
      });
      return unreadable > 0 ? 1 : code;
    },
  },
];

function described({ keyId, isNew, reencrypted, unreadable, retired, kept }: Rotation): string {
  return [
    `The ${isNew ? 'new ' : ''}key ${keyId} encrypts secrets. This run re-encrypted ${counted(reencrypted, 'secret')} with it.`,
    ...(unreadable > 0 ? [`No known key decrypts ${counted(unreadable, 'secret')}, unchanged by this run.`] : []),
    ...(retired.length > 0 ? [`Removed keys that encrypt nothing: ${retired.join(', ')}.`] : []),
    ...(kept.length > 0
      ? [`Kept keys: ${kept.join(', ')}. Run this command again in ten minutes to remove those that encrypt nothing.`]
      : []),
  ].join('\n');
}
