/** The platform API in this process, for the commands of the operator. The audit names the operator. */
import { ConfigError, ValidationFailed } from '../errors.ts';
import { Api, type Operating } from './api.ts';

export class OperatorApi extends Api {
  readonly #operating: Operating;

  constructor(operating: Operating) {
    super(operating);
    this.#operating = operating;
  }

  override async call(method: string, path: string, body?: string): Promise<unknown> {
    try {
      return await this.#operating.operator.call({ method, path, body });
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
