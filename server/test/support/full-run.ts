/**
 * The quick run is what every change must pass; the full run has all tests. `npm test -- --full` and `.ci/run full` set
 * the variable for the files that they start.
 */

/** Tests that measure time, and those that repeat on PostgreSQL what SQLite shows already, run in the full run only. */
export const isFullRun = process.env['SIGNALBOX_TEST_FULL'] === '1';
