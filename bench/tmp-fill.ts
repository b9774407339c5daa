import { fill } from './narrowing/fill.ts';
await fill(process.argv[2]!, Number(process.argv[3]));
process.exit(0);
