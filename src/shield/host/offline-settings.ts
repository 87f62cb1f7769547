// Without a network, package managers would retry in silence until the command's time is up.

/** Settings by which package managers fail at once. Not for a cell whose commands reach a registry. */
export const OFFLINE_ENV: Readonly<Record<string, string>> = {
  // npm and pnpm
  npm_config_fetch_retries: "0",
  npm_config_fetch_timeout: "5000",
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
  pnpm_config_fetch_retries: "0",
  // yarn 1 takes the proxy's refusal for a lost connection and tries again, four times in 12 seconds; a failed lookup it
  // reports at once
  yarn_https_proxy: "false",
  // yarn 2 and newer ones
  YARN_ENABLE_NETWORK: "0",
  YARN_ENABLE_TELEMETRY: "0",
  // Python
  PIP_RETRIES: "0",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  UV_OFFLINE: "1",
  // Rust and Go
  CARGO_NET_OFFLINE: "true",
  CARGO_NET_RETRY: "0",
  GOPROXY: "off",
  GOTOOLCHAIN: "local",
};

const FAILED = new RegExp(
  [
    "EAI_AGAIN|ENOTFOUND|ENETUNREACH|EHOSTUNREACH|getaddrinfo",
    "could(?: not|n't) resolve host|failed to resolve|failed to lookup address|no such host",
    "temporary failure in name resolution|name or service not known|nodename nor servname",
    "network is unreachable|no route to host|lookup .{1,200}: (?:dial|device|server misbehaving)",
    "from versions: none|disabled by GOPROXY=off|using offline mode|enableNetwork|offline mode|trouble with your network|blocked because of your configuration settings",
  ].join("|"),
  "i",
);

/** Whether the output of a command shows a lookup or a connection that failed for want of a network. */
export function showsMissingNetwork(...output: readonly string[]): boolean {
  return output.some((text) => FAILED.test(text));
}

export const NO_NETWORK_NOTE =
  'Commands have no network: only servers that commands of this cell start can be reached, on 127.0.0.1. What is not installed yet can\'t be downloaded, unless the user allows its host with a rule like "allow network(registry.example.com:443)".';
