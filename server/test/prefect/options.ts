import { parseArgs } from 'node:util';
import { CLIENTS, type ClientVersion, NEWEST_CLIENT } from './python.ts';

export type Database = 'sqlite' | 'postgres';
export type ServerKind = 'signalbox' | 'prefect';

export interface Options {
  /** API address of a running server; undefined: the runner starts one. */
  url: string | undefined;
  server: ServerKind;
  database: Database;
  /** Servers on one PostgreSQL database, between which requests alternate. */
  replicas: number;
  client: ClientVersion;
  /** Scenarios to run; empty: all. */
  only: string[];
  /** Scenarios whose name contains one of these are left out. */
  except: string[];
  /** Only the scenarios whose outcome may depend on the database. */
  bothDatabases: boolean;
  /** Only the scenarios of the quick run. */
  quick: boolean;
  parallel: number;
  list: boolean;
  keep: boolean;
  help: boolean;
}

export const usage = `Runs flows with the unmodified Prefect SDK against a server and reads everything back over the API.

  npm run test:prefect -- [options]

  --only NAME          run the scenarios whose name is or contains NAME (may be given several times)
  --except PART        leave out the scenarios whose name contains PART (may be given several times)
  --both-databases     only the scenarios whose outcome may depend on the database
  --quick              only the scenarios of the quick run, which touch each kind of behaviour
  --list               show the scenarios and end
  --database KIND      sqlite (default) or postgres: the database of the server that is started
  --replicas N         start N servers on one PostgreSQL behind a proxy that gives each request to the next (default 1)
  --url URL            test the server whose API is at URL (…/api) instead of starting one;
                       scenarios that restart their server are skipped
  --server KIND        signalbox (default) or prefect: start the reference server, to check the scenarios themselves
  --client VERSION     run them with this SDK: ${CLIENTS.join(', ')} (default ${NEWEST_CLIENT}); what an old one
                       cannot do by itself is skipped with the reason
  --parallel N         scenarios at once, 1 to 16 (default 2)
  --keep               keep the temporary folder with server logs and databases
  --help               this text

  SIGNALBOX_TEST_PYTHON        a Python that has the Prefect SDK, in place of --client; default: a virtual environment
                               made once in .work/ for each version
  SIGNALBOX_TEST_POSTGRES_URL  a PostgreSQL server to use for --database postgres; default: a temporary cluster`;

/** Thrown for an invalid command line; the message is for the user. */
export class UsageError extends Error {}

/** Reads the command line. Throws UsageError. */
export function readOptions(args: string[]): Options {
  const { values } = parse(args);
  const parallel = Number(values.parallel);
  if (!Number.isInteger(parallel) || parallel < 1 || parallel > 16) {
    throw new UsageError(`--parallel takes a whole number from 1 to 16, not ${values.parallel}`);
  }
  const replicas = Number(values.replicas);
  if (!Number.isInteger(replicas) || replicas < 1 || replicas > 8) {
    throw new UsageError(`--replicas takes a whole number from 1 to 8, not ${values.replicas}`);
  }
  return {
    url: values.url === undefined ? undefined : apiAddress(values.url),
    server: oneOf('--server', values.server, ['signalbox', 'prefect']),
    database: replicas > 1 ? 'postgres' : oneOf('--database', values.database, ['sqlite', 'postgres']),
    replicas,
    client: oneOf('--client', values.client, CLIENTS),
    only: values.only,
    except: values.except,
    bothDatabases: values['both-databases'],
    quick: values.quick,
    parallel,
    list: values.list,
    keep: values.keep,
    help: values.help,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        url: { type: 'string' },
        server: { type: 'string', default: 'signalbox' },
        database: { type: 'string', default: 'sqlite' },
        replicas: { type: 'string', default: '1' },
        client: { type: 'string', default: NEWEST_CLIENT },
        only: { type: 'string', multiple: true, default: [] },
        except: { type: 'string', multiple: true, default: [] },
        'both-databases': { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        parallel: { type: 'string', default: '2' },
        list: { type: 'boolean', default: false },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause));
  }
}

function apiAddress(text: string): string {
  if (!URL.canParse(text) || !/^https?:/.test(text)) {
    throw new UsageError(`--url takes an http address such as http://127.0.0.1:4200/api, not ${text}`);
  }
  return text.replace(/\/+$/, '');
}

function oneOf<Value extends string>(option: string, given: string, values: readonly Value[]): Value {
  const value = values.find((candidate) => candidate === given);
  if (!value) throw new UsageError(`${option} takes ${values.join(' or ')}, not ${given}`);
  return value;
}
