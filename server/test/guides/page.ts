/** A page of the guides beside a server of its own. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ServerProcess } from '../prefect/server-process.ts';
import { program } from '../support/bundle.ts';
import { findPython, runProgram } from './client.ts';

export const python = await findPython();
/** Each page has a folder in it. */
export const folder = mkdtempSync(join(tmpdir(), 'signalbox-guides-'));

/** What stands in a page for a value of the reader's own, and the shell's way to that value. */
type Values = Readonly<Record<string, string>>;

export interface Guide {
  /** Runs before the commands of the page. */
  readonly prelude?: string;
  readonly values?: Values;
  readonly settings?: Record<string, string>;
}

/** A server of this guide, and how its page runs. */
export class Page {
  readonly name: string;
  readonly folder: string;
  readonly server: ServerProcess;

  constructor(name: string, server: ServerProcess, own: string) {
    this.name = name;
    this.server = server;
    this.folder = own;
  }

  static async open(name: string, settings: Record<string, string> = {}): Promise<Page> {
    const own = join(folder, name);
    mkdirSync(own);
    const server = await ServerProcess.start({
      kind: 'signalbox',
      folder: own,
      postgresUrl: undefined,
      python: '',
      settings: { SIGNALBOX_DATABASE_URL: `sqlite:${join(own, 'home', 'signalbox.db')}`, ...settings },
    });
    const start = join(import.meta.dirname, 'start-once.ts');
    writeFileSync(
      join(own, 'npm'),
      `#!/bin/sh
if [ "$1" = start ]; then exec "${process.execPath}" "${start}"; fi
[ "$1 $2 $3 $4" = "run -s signalbox --" ] || exit 9
shift 4
exec "${process.execPath}" "${program}" "$@"
`,
    );
    chmodSync(join(own, 'npm'), 0o755);
    return new Page(name, server, own);
  }

  async run(script: string, { prelude = '', values = {}, settings = {} }: Guide): Promise<string> {
    const own = (text: string) => text.replaceAll('http://127.0.0.1:4200', new URL(this.server.url).origin);
    let commands = own(script);
    for (const [text, value] of Object.entries(values)) {
      assert.ok(commands.includes(text), `${this.name} shows ${text}`);
      commands = commands.replaceAll(text, () => value);
    }
    const end = `trap 'while read -r started; do kill "$started" 2>/dev/null || true; done < "$STARTED"' EXIT\n`;
    return runProgram(
      'bash',
      ['-euo', 'pipefail', '-c', `${end}${own(prelude)}\n${commands}`],
      python ?? '',
      this.folder,
      {
        PATH: [this.folder, dirname(python ?? ''), process.env['PATH']].join(delimiter),
        COLUMNS: '200',
        STARTED: this.#file('started'),
        GUIDE_HOME: join(this.folder, 'home'),
        SIGNALBOX_HOME: join(this.folder, 'home'),
        ...settings,
      },
    );
  }

  async ask<Answer>(path: string, body?: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(
      this.server.url + path,
      body ? { method: 'POST', headers, body: JSON.stringify(body) } : {},
    );
    const text = await answer.text();
    assert.ok(answer.ok, `${path} was answered ${answer.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  #file(name: string): string {
    const path = join(this.folder, name);
    writeFileSync(path, '');
    return path;
  }
}
