/** Real proxies with the files of `deploy/`, in which only addresses and paths of the example are replaced. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';

const deploy = join(import.meta.dirname, '../../../deploy');

export interface Certificate {
  readonly file: string;
  readonly keyFile: string;
}

/** A certificate for this machine that signs itself; undefined where `openssl` is not installed. */
export function makeCertificate(folder: string): Certificate | undefined {
  const [file, keyFile] = [join(folder, 'proxy.crt'), join(folder, 'proxy.key')];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile];
  const { status } = spawnSync('openssl', ['req', '-x509', ...key, '-out', file, '-days', '2', ...subject]);
  return status === 0 ? { file, keyFile } : undefined;
}

export interface RunningProxy {
  /** With the path below which it serves Signalbox. */
  readonly url: string;
  stop(): Promise<void>;
}

interface ProxyKind {
  readonly program: string | undefined;
  /** Writes the configuration, and returns the arguments of the program. */
  configure(folder: string, port: number, serverPort: number, certificate: Certificate): string[];
}

const programAt = (...paths: string[]) => paths.find((path) => existsSync(path));

export const proxies: Readonly<Record<'nginx' | 'Caddy', ProxyKind>> = {
  nginx: {
    program: programAt('/usr/sbin/nginx', '/usr/bin/nginx'),
    configure(folder, port, serverPort, { file, keyFile }) {
      const text = replaced(join(deploy, 'nginx/sub-path.conf'), {
        'listen 443 ssl': `listen 127.0.0.1:${port} ssl`,
        '/etc/ssl/signalbox.crt': file,
        '/etc/ssl/signalbox.key': keyFile,
        '127.0.0.1:4200': `127.0.0.1:${serverPort}`,
      });
      const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
      const around = ['daemon off;', 'pid nginx.pid;', 'events {}', 'http {', 'access_log off;', ...own, text, '}'];
      writeFileSync(join(folder, 'nginx.conf'), around.join('\n'));
      return ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'];
    },
  },
  Caddy: {
    program: programAt('/usr/bin/caddy', '/usr/local/bin/caddy'),
    configure(folder, port, serverPort, { file, keyFile }) {
      const text = replaced(join(deploy, 'caddy/Caddyfile'), {
        'signalbox.example {': `https://127.0.0.1:${port} {\n\tbind 127.0.0.1`,
        '/etc/ssl/signalbox.crt': file,
        '/etc/ssl/signalbox.key': keyFile,
        '127.0.0.1:4200': `127.0.0.1:${serverPort}`,
      });
      const path = join(folder, 'Caddyfile');
      writeFileSync(path, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${text}`);
      return ['run', '--config', path, '--adapter', 'caddyfile'];
    },
  },
};

/** Starts it in front of the server on this port of the machine, and waits until it answers. */
export async function startProxy(
  { program = '', configure }: ProxyKind,
  folder: string,
  serverPort: number,
  certificate: Certificate,
): Promise<RunningProxy> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const child = spawn(program, configure(folder, port, serverPort, certificate), {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Caddy keeps its state in the home folder of its user.
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-4000);
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const connects = async () => {
    if (child.exitCode !== null) throw new Error(`The proxy ended with code ${child.exitCode}: ${output}`);
    return isListening(port);
  };
  await until('the proxy answers', connects, 15);
  return {
    url: `https://127.0.0.1:${port}/signalbox`,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** The text of a file with other values. Throws when one of them is no longer there. */
function replaced(path: string, values: Readonly<Record<string, string>>): string {
  let text = readFileSync(path, 'utf8').replaceAll(/^\s*#.*\n/gm, '');
  for (const [from, to] of Object.entries(values)) {
    if (!text.includes(from)) throw new Error(`${path} has no "${from}"`);
    text = text.replaceAll(from, to);
  }
  return text;
}
