// Loaded before a server that must open no connection: writes a line to the file for each client socket that the server
// opens. A lookup of a host name counts too, because it asks a name server.
import { subscribe } from 'node:diagnostics_channel';
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';

const note = (what) => appendFileSync(process.env.CONNECTIONS_FILE, `${what}\n`);
subscribe('net.client.socket', () => note('tcp'));
subscribe('udp.socket', () => note('udp'));
const { lookup } = dns;
dns.lookup = (name, ...rest) => {
  // An IP address needs no lookup.
  if (!/^[\d.:]+$/.test(name)) note(`lookup of ${name}`);
  return lookup(name, ...rest);
};
