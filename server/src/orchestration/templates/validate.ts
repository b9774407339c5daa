import { Template } from '../../templates/template.ts';
import { TemplateSyntaxError } from '../../templates/template-error.ts';

/** What is wrong with a template that a user writes, in the shape of the reference's answer. */
export interface TemplateFault {
  /** Counted from 1; 0 when it is the template as a whole. */
  readonly line: number;
  readonly message: string;
  readonly source: string;
}

/** Undefined when the template is sound. */
export function faultOfTemplate(source: string): TemplateFault | undefined {
  try {
    new Template(source);
    return undefined;
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error;
    return { line: error.line, message: error.message, source };
  }
}
