/** Prints scripts that complete commands and flags in a shell, made from the table of commands. */
import { settings } from '../settings/all.ts';
import { flagOf } from '../settings/setting.ts';
import { type Command, type CommandFlag, commandFlags, needed, print } from './command.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** `all` is called when the command runs, because the table includes this command. */
export function completionCommands(all: () => readonly Command[]): readonly Command[] {
  return [
    {
      words: 'completion',
      says: 'Print a script that completes commands and flags in bash, zsh or fish: source <(signalbox completion --shell bash)',
      flags: ['shell'],
      choices: { shell: Object.keys(scripts) },
      json: true,
      run(flags, json) {
        const shell = needed(flags, 'shell', ': bash, zsh or fish');
        const script = scripts[shell as Shell](all());
        print(json, { shell, script }, script);
        return 0;
      },
    },
  ];
}

const scripts: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = { bash, zsh, fish };

/** The flags that each command accepts besides those of settings. */
function flagsOf({ flags, json }: Command): string[] {
  const own = flags.map((flag) => `--${flag.replace('?', '')}`);
  return [...own, ...(json ? ['--json'] : []), '--help'];
}

/** Flags of settings that every command accepts. */
const everywhere = ['SIGNALBOX_HOME', 'SIGNALBOX_DATABASE_URL'] as const;
const shared = everywhere.map((name) => `--${flagOf(name)}`);

function settingFlags(): string[] {
  return Object.values(settings).map(({ name }) => `--${flagOf(name)}`);
}

/** The possible next words, by the words so far; the empty text stands for the beginning. */
function nextWords(commands: readonly Command[]): Map<string, string[]> {
  const next = new Map<string, string[]>();
  for (const { words } of commands) {
    const parts = words.split(' ');
    for (const [index, word] of parts.entries()) {
      const before = parts.slice(0, index).join(' ');
      const known = next.get(before) ?? [];
      if (!known.includes(word)) next.set(before, [...known, word]);
    }
  }
  return next;
}

function cases(commands: readonly Command[]): string {
  const byWords = new Map<string, string[]>(nextWords(commands));
  for (const command of commands) {
    const flags =
      command.words === 'server start' ? [...settingFlags(), '--json', '--help'] : [...flagsOf(command), ...shared];
    const operands = command.operand?.choices ?? [];
    byWords.set(command.words, [...(byWords.get(command.words) ?? []), ...operands, ...flags]);
  }
  return Array.from(byWords, ([words, next]) => `    '${words}') next='${next.join(' ')}' ;;`).join('\n');
}

function bash(commands: readonly Command[]): string {
  return `_signalbox() {
  local word words='' next=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) break ;; esac
    words="\${words:+$words }$word"
  done
  case $words in
${cases(commands)}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _signalbox signalbox`;
}

function zsh(commands: readonly Command[]): string {
  return `#compdef signalbox
_signalbox() {
  local word typed='' next=''
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case $word in -*) break ;; esac
    typed="\${typed:+$typed }$word"
  done
  case $typed in
${cases(commands)}
  esac
  compadd -- \${=next}
}
compdef _signalbox signalbox`;
}

function fish(commands: readonly Command[]): string {
  const lines = ['complete -c signalbox -f'];
  for (const [before, next] of nextWords(commands)) {
    const isNext = `__fish_seen_subcommand_from ${before}; and not __fish_seen_subcommand_from ${next.join(' ')}`;
    const condition = before === '' ? '__fish_use_subcommand' : isNext;
    for (const word of next) lines.push(`complete -c signalbox -n '${condition}' -a '${word}'`);
  }
  for (const { words, operand, flags, json } of commands) {
    const seen = words.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
    const start = `complete -c signalbox -n '${seen.join('; and ')}'`;
    for (const flag of flags) {
      const name = flag.replace('?', '') as CommandFlag;
      const { value, says } = commandFlags[name];
      lines.push(`${start} -l ${name}${value === '' ? '' : ' -r'} -d '${says.replaceAll(/['\\\\]/g, '')}'`);
    }
    if (json) lines.push(`${start} -l json`);
    if (operand) lines.push(`${start} -a '${operand.choices.join(' ')}'`);
  }
  return lines.join('\n');
}
