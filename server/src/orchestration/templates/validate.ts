import { Template } from '../../templates/template.ts';
import { TemplateSyntaxError } from '../../templates/template-error.ts';

/** The fault of a user's template, in the shape of the reference's answer. */
export interface TemplateFault {
  /** Counted from 1; 0 when the fault concerns the whole template. */
  readonly line: number;
  readonly message: string;
  readonly source: string;
}

/** Undefined when the template is valid. */
export function faultOfTemplate(source: string): TemplateFault | undefined {
  try {
    new Template(source);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    return { line: error.line, message: error.message, source };
  }
}
