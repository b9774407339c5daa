/** `server/`. The sources and the bundle that `npm start` runs (`dist/`) both lie right below it. */
export const SERVER_FOLDER = new URL('../', import.meta.url);

/** The built dashboard; absent where it has not been built. */
export const DASHBOARD_FOLDER = new URL('../dashboard/dist/', SERVER_FOLDER);

/** The built documentation; absent where it has not been built. */
export const HELP_FOLDER = new URL('../help/dist/', SERVER_FOLDER);

/** Compiled code, for the next start. It is in the way of nobody if it cannot be written. `main.js` names it by itself. */
export const COMPILE_CACHE_FOLDER = new URL('../node_modules/.cache/signalbox/', SERVER_FOLDER);
