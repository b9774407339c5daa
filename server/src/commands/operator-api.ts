/** The platform API in this process, for the commands of the operator. The audit names the operator. */
import { ConfigError, ValidationFailed } from '../errors.ts';
import { Api, type Operating } from './api.ts';

export class OperatorApi extends Api {
  readonly #open: () => Promise<Operating>;

  constructor(open: () => Promise<Operating>) {
    super(open);
    this.#open = open;
  }

  override async call(method: string, path: string, body?: string): Promise<unknown> {
    const { operator } = await this.#open();
    try {
      return await operator.call({ method, path, body });
    } catch (error) {
      if (!(error instanceof ValidationFailed)) throw error;
      const said = error.issues.map(({ loc, msg }) => `--${flagOf(String(loc.at(-1) ?? ''))}: ${msg}`);
      throw new ConfigError(`${said.join('; ')}.`);
    }
  }
}

/** The flag of a field. */
function flagOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
