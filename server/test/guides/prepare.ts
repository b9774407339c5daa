/** Installs the Prefect client once, before the files of this suite run side by side. */
import { findPython } from './client.ts';

await findPython();
