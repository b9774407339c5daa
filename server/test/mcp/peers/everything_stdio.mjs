/** The server that offers everything, over standard input and output. */
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { everything } from './everything-definition.mjs';

await everything(undefined).connect(new StdioServerTransport());
