/** `server/`. The sources and the bundle that `npm start` runs (`dist/`) both lie right below it. */
export const SERVER_FOLDER = new URL('../', import.meta.url);

/** The built dashboard; absent where it has not been built. */
export const DASHBOARD_FOLDER = new URL('../dashboard/dist/', SERVER_FOLDER);

/** The built documentation; absent where it has not been built. */
export const HELP_FOLDER = new URL('../help/dist/', SERVER_FOLDER);

/** Keeps compiled code for the next start. A server that may not write it starts all the same. `main.js` repeats the path. */
export const COMPILE_CACHE_FOLDER = new URL('../node_modules/.cache/signalbox/', SERVER_FOLDER);
