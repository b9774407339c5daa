/** A real nginx in front of the server, which it serves below `/signalbox`. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../server/test/support/free-port.ts';
import { until } from '../../server/test/support/until.ts';

const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx'].find((program) => existsSync(program));

const READY_WITHIN_SECONDS = 10;

export const hasNginx = NGINX !== undefined;

/** `upstream`: address of the server. Throws when nginx is not installed; the tests are skipped without it. */
export async function startProxy(upstream: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  if (!NGINX) throw new Error('nginx is not installed here.');
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-nginx-'));
  const port = await freePort();
  await writeFile(join(folder, 'nginx.conf'), configuration(folder, port, upstream));
  const child = spawn(NGINX, ['-p', folder, '-c', 'nginx.conf', '-e', 'error.log'], { stdio: 'ignore' });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = `http://127.0.0.1:${port}/signalbox`;
  const isReady = () => {
    if (child.exitCode !== null) throw new Error(`nginx ended with code ${child.exitCode}.`);
    return answers(`${url}/api/ready`);
  };
  await until('nginx is ready', isReady, READY_WITHIN_SECONDS);
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

function configuration(folder: string, port: number, upstream: string): string {
  return `
daemon off;
pid ${folder}/nginx.pid;
worker_processes 1;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${port};
    location /signalbox/ {
      proxy_pass ${upstream}/;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header X-Forwarded-Prefix /signalbox;
      proxy_buffering off;
    }
  }
}
`;
}
