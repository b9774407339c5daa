/** Secrets to search for afterwards, and every answer and log line of this server until then. */
import type { Answer } from '../../support/server.ts';

export class Canaries {
  readonly #minted = new Set<string>();
  readonly #said: { readonly where: string; readonly text: string }[] = [];

  get count(): number {
    return this.#minted.size;
  }

  /** A secret that was never used before. */
  mint(): string {
    const canary = `canary${crypto.randomUUID().replaceAll('-', '')}`;
    this.#minted.add(canary);
    return canary;
  }

  /** A secret that the server made and answered once. */
  adopt(secret: string): string {
    this.#minted.add(secret);
    return secret;
  }

  logged(line: string): void {
    this.#said.push({ where: 'log', text: line });
  }

  /** A refusal must not contain a secret of any sender; neither may anything that others can read later. */
  answered(where: string, { status, headers, text }: Answer): void {
    this.#said.push({ where: `${where} ${status}`, text: `${JSON.stringify(headers)} ${text}` });
  }

  get logLines(): number {
    return this.#said.filter(({ where }) => where === 'log').length;
  }

  /** Every place that contains a secret, as sent, in base64 or in percent-encoding. */
  leaks(): string[] {
    const forms = [...this.#minted].flatMap((canary) => [canary, Buffer.from(canary).toString('base64').slice(0, 24)]);
    const any = new RegExp(forms.map((form) => form.replaceAll('+', '\\+')).join('|'), 'g');
    return this.#said.flatMap(({ where, text }) => {
      const found = text.match(any);
      return found
        ? [
            `${where}: ${found[0]} in ${text.slice(Math.max(0, text.indexOf(found[0]) - 200), text.indexOf(found[0]) + 60)}`,
          ]
        : [];
    });
  }
}
