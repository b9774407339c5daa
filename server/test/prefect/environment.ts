/** Variables in the caller's shell that would change the test: settings of Signalbox and of its clients. */
const settings = /^(SIGNALBOX_|PREFECT_|FASTMCP_|HORIZON_|PYTHONPATH$|PYTHONHOME$|NODE_OPTIONS$)/;

/**
 * The caller's environment without settings of Signalbox and Prefect, plus `added`: the tests see the default
 * behaviour on every machine.
 */
export function cleanEnvironment(added: Record<string, string>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !settings.test(name));
  return {
    ...Object.fromEntries(kept),
    // No figures about test runs leave the machine, and no request to the local server goes through a proxy.
    DO_NOT_TRACK: '1',
    PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
    ...added,
  };
}
