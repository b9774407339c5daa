import { pythonRepr } from '../../values/python-text.ts';

/** The text is not a template. The message is Jinja's if it is known. */
export class TemplateSyntaxError extends Error {
  override readonly name = 'TemplateSyntaxError';
  /** The line of the fault, counted from 1; 0 when it concerns the whole template. */
  line = 0;
}

/** Rendering failed. `kind` is the name of Python's error, so that users find it in Jinja's documentation. */
export class TemplateRuntimeError extends Error {
  override readonly name = 'TemplateRuntimeError';
  readonly kind: string;

  constructor(kind: string, message: string) {
    super(message);
    this.kind = kind;
  }

  /** For example, `ZeroDivisionError('division by zero')`. */
  describe(): string {
    return `${this.kind}(${pythonRepr(this.message)})`;
  }
}

export function typeError(message: string): TemplateRuntimeError {
  return new TemplateRuntimeError('TypeError', message);
}
