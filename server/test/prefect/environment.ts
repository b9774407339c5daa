/** Names of variables that would change what is tested: settings of Signalbox and of its clients in the caller's shell. */
const settings = /^(SIGNALBOX_|PREFECT_|FASTMCP_|HORIZON_|PYTHONPATH$|PYTHONHOME$|NODE_OPTIONS$)/;

/**
 * The caller's environment without settings of Signalbox and Prefect, plus `added`: what is tested is the default
 * behaviour, on the caller's machine as on everybody's.
 */
export function cleanEnvironment(added: Record<string, string>): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !settings.test(name));
  return {
    ...Object.fromEntries(kept),
    // No figures about test runs leave the machine, and nothing goes through a proxy to the server beside us.
    DO_NOT_TRACK: '1',
    PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
    ...added,
  };
}
