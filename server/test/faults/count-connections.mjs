// Loaded before a server that must call nobody: each client socket that it opens is a line of the file. Looking up a name
// counts as well, as it asks a server of names.
import { subscribe } from 'node:diagnostics_channel';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';

const note = (what) => appendFileSync(process.env.CONNECTIONS_FILE, `${what}\n`);
subscribe('net.client.socket', () => note('tcp'));
subscribe('udp.socket', () => note('udp'));
const { lookup } = dns;
dns.lookup = (name, ...rest) => {
  // An address is not looked up anywhere.
  if (!/^[\d.:]+$/.test(name)) note(`lookup of ${name}`);
  return lookup(name, ...rest);
};
