/** Completion in each shell that is installed here, by the shell itself. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mock, test } from 'node:test';
import { allCommands } from '../command-line.ts';

/** How each shell is asked what it offers after the typed words. */
const asks: Readonly<Record<'bash' | 'zsh' | 'fish', (script: string, typed: readonly string[]) => string[]>> = {
  bash: (script, typed) => [
    '-c',
    `${script}
    COMP_WORDS=(signalbox ${typed.join(' ')} ''); COMP_CWORD=${typed.length + 1}; _signalbox
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (script, typed) => [
    '-fc',
    `compdef() { :; }; compadd() { shift; print -l -- "$@"; }
    ${script}
    words=(signalbox ${typed.join(' ')} ''); CURRENT=${typed.length + 2}; _signalbox`,
  ],
  fish: (script, typed) => ['--no-config', '-c', `${script}\ncomplete -C 'signalbox ${[...typed, ''].join(' ')}'`],
};

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  const isInstalled = spawnSync(shell, ['-c', 'true']).status === 0;
  test(`${shell} completes the commands`, { skip: isInstalled ? false : `${shell} is not installed` }, () => {
    const script = scriptOf(shell);
    const completed = (...typed: string[]) => {
      const { stdout, stderr } = spawnSync(shell, asks[shell](script, typed));
      assert.equal(String(stderr), '');
      const lines = String(stdout).split('\n');
      return lines.filter((line) => line !== '');
    };
    assert.ok(completed().includes('keys') && completed().includes('completion'));
    assert.deepEqual(completed('keys'), ['create', 'list', 'roll', 'revoke']);
    assert.deepEqual(
      completed('keys', 'create').filter((word) => !word.startsWith('-')),
      [],
    );
    if (shell === 'fish') return;
    // Fish offers flags after a dash only.
    assert.ok(completed('backup').includes('--with-key') && completed('backup').includes('--json'));
    assert.ok(completed('server', 'start').includes('--port'));
  });
}

test('the script of each shell has every command and flag', () => {
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const script = scriptOf(shell);
    for (const { words, flags } of allCommands) {
      for (const word of words.split(' ')) assert.ok(script.includes(word), `${shell}: ${word}`);
      for (const flag of flags) assert.ok(script.includes(flag.replace('?', '')), `${shell}: ${flag}`);
    }
  }
});

function scriptOf(shell: string): string {
  const lines: string[] = [];
  mock.method(console, 'log', (line: string) => lines.push(line));
  try {
    assert.equal(allCommands.find(({ words }) => words === 'completion')?.run?.({ shell }, false), 0);
  } finally {
    mock.restoreAll();
  }
  return lines.join('\n');
}
