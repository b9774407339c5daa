import { parseArgs } from 'node:util';

export interface Options {
  /** Approximate number of compared requests; the population at the start counts too. */
  readonly requests: number;
  readonly seed: string;
  /** Only these routes are compared; others are still used to create the objects that they need. */
  readonly routes: RegExp | undefined;
  readonly ours: string | undefined;
  readonly reference: string | undefined;
  /** The database of our server where the runner starts it. */
  readonly database: 'sqlite' | 'postgres';
  /** Whether the OpenAPI documents are compared too. */
  readonly openapi: boolean;
  /** Rounds of histories of events whose firings are compared, a minute each. */
  readonly arrivals: number;
  /** Whether to print the options and nothing else. */
  readonly help: boolean;
  /** Examples per route and kind of difference. */
  readonly examples: number;
  /** A file for every request with both answers, one JSON object per line. */
  readonly log: string | undefined;
}

export const USAGE = `Compares Signalbox with the real reference server, request by request.

  npm run test:reference -- [options]

  --requests N       how many requests (3000)
  --seed TEXT        which requests: the same seed gives the same sequence (1)
  --routes REGEX     compare only routes like 'POST /flows/filter' that match
  --ours URL         a running Signalbox with an empty database (default: started for the run)
  --reference URL    a running reference server with an empty database (default: started for the run)
  --database KIND    sqlite or postgres, for the Signalbox that is started (sqlite)
  --examples N       examples per route and kind of difference (3)
  --log FILE         write every request and both answers there, one JSON object per line
  --arrivals N       rounds of 60 histories of events, whose firings are compared; a minute each (1; 0 with --routes or URLs)
  --no-openapi       leave out the comparison of the OpenAPI documents
`;

/** Throws an Error with a sentence for the user when an option is unknown or invalid. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      requests: { type: 'string', default: '3000' },
      seed: { type: 'string', default: '1' },
      routes: { type: 'string' },
      ours: { type: 'string' },
      reference: { type: 'string' },
      database: { type: 'string', default: 'sqlite' },
      examples: { type: 'string', default: '3' },
      log: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
      openapi: { type: 'boolean', default: true },
      arrivals: { type: 'string' },
    },
  });
  if (values.database !== 'sqlite' && values.database !== 'postgres') {
    throw new Error(`--database must be sqlite or postgres, not "${values.database}".`);
  }
  return {
    requests: wholeNumber('--requests', values.requests),
    seed: values.seed,
    routes: values.routes === undefined ? undefined : new RegExp(values.routes),
    ours: values.ours,
    reference: values.reference,
    database: values.database,
    openapi: values.openapi,
    arrivals: wholeNumber(
      '--arrivals',
      values.arrivals ?? ((values.routes ?? values.ours ?? values.reference) ? '0' : '1'),
    ),
    help: values.help,
    log: values.log,
    examples: wholeNumber('--examples', values.examples),
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`${name} must be a whole number, not "${text}".`);
  return Number(text);
}
