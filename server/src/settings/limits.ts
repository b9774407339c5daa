/** How much a request may bring and an answer may hold. */
import { type Setting, wholeNumber } from './setting.ts';

export const limitSettings = {
  maxBodyBytes: {
    name: 'SIGNALBOX_MAX_BODY_BYTES',
    fallback: '16777216',
    description: 'Larger request bodies are refused with 413.',
    check: wholeNumber(1024, 1_073_741_824),
  },
  apiMaxLimit: {
    name: 'SIGNALBOX_API_DEFAULT_LIMIT',
    alias: 'PREFECT_SERVER_API_DEFAULT_LIMIT',
    fallback: '200',
    description: 'Default and largest number of rows that a list answers.',
    check: wholeNumber(1, 10_000),
  },
  maxParameterBytes: {
    name: 'SIGNALBOX_MAX_PARAMETER_BYTES',
    alias: 'PREFECT_SERVER_API_MAX_PARAMETER_SIZE',
    fallback: '524288',
    description: 'Largest JSON size of the parameters of a flow run; 0 means no limit.',
    check: wholeNumber(0, 1_073_741_824),
  },
} as const satisfies Record<string, Setting>;
