/** For rates, daily bytes, `wrongKeys` and `workspaceRecords`, 0 means no limit. */
export interface EdgeSettings {
  readonly connections: number;
  readonly bodyBytes: number;
  /** Calls per second with one key. This and all other rates of calls allow bursts of five seconds' worth. */
  readonly keyRate: number;
  readonly workspaceRate: number;
  readonly webhookRate: number;
  /** Calls per second, per client address and site. */
  readonly visitorRate: number;
  /** Calls per second, for all visitors of one site together. */
  readonly siteRate: number;
  /**
   * Maximum number of open WebSockets of visitors, for all sites together. `socketsOfSite` is the maximum for one site,
   * and `socketsOfAddress` for one client address at one site.
   */
  readonly sockets: number;
  readonly socketsOfSite: number;
  readonly socketsOfAddress: number;
  /** Maximum number of wrong keys per minute and client address. */
  readonly wrongKeys: number;
  /** Bytes per day (UTC) that the commands of one workspace may record. */
  readonly workspaceDayBytes: number;
  /** Bytes per day (UTC) that the runs and other journals of one workspace may record. */
  readonly workspaceDayRunBytes: number;
  /** Bytes per day (UTC) that may be stored as files of one workspace's sites. */
  readonly workspaceDayFileBytes: number;
  /** Maximum number of records per workspace and kind, for kinds whose lists are not paged. */
  readonly workspaceRecords: number;
  /** Number of reverse proxies in front of the service. Each adds an address to X-Forwarded-For. */
  readonly proxies: number;
  readonly metricsToken: string | undefined;
}

type Raw = Readonly<Record<string, string | undefined>>;
type Integer = (raw: Raw, name: string, otherwise: number, least: number, most: number) => number;

const mb = 1024 * 1024;

/** @throws Error with a sentence that names the variable */
export function readEdgeSettings(raw: Raw, integer: Integer, baseUrl: string): EdgeSettings {
  // The service itself does not support TLS, so a base URL with https means that there is at least one proxy in front
  // of it.
  const proxies = baseUrl.startsWith('https:') ? 1 : 0;
  const connections = integer(raw, 'CONNECTIONS', 20_000, 1, 1_000_000);
  // By default, half of the connections remain for everything except visitors' sockets.
  const sockets = integer(raw, 'REALTIME_CONNECTIONS', Math.ceil(connections / 2), 0, connections);
  return {
    connections,
    sockets,
    socketsOfSite: integer(raw, 'REALTIME_SITE_CONNECTIONS', Math.ceil(sockets / 2), 0, 1_000_000),
    socketsOfAddress: integer(raw, 'REALTIME_ADDRESS_CONNECTIONS', 200, 0, 1_000_000),
    bodyBytes: integer(raw, 'BODIES_MB', 64, 1, 65_536) * mb,
    keyRate: integer(raw, 'KEY_RATE', 200, 0, 1_000_000),
    workspaceRate: integer(raw, 'WORKSPACE_RATE', 1_000, 0, 1_000_000),
    webhookRate: integer(raw, 'WEBHOOK_RATE', 200, 0, 1_000_000),
    visitorRate: integer(raw, 'VISITOR_RATE', 50, 0, 1_000_000),
    siteRate: integer(raw, 'SITE_RATE', 500, 0, 1_000_000),
    wrongKeys: integer(raw, 'WRONG_KEYS_A_MINUTE', 20, 0, 1_000_000),
    workspaceDayBytes: integer(raw, 'WORKSPACE_DAY_MB', 1_024, 0, 1_048_576) * mb,
    workspaceDayRunBytes: integer(raw, 'WORKSPACE_DAY_RUNS_MB', 20_480, 0, 1_048_576) * mb,
    workspaceDayFileBytes: integer(raw, 'WORKSPACE_DAY_FILES_MB', 20_480, 0, 1_048_576) * mb,
    workspaceRecords: integer(raw, 'WORKSPACE_RECORDS', 1_000, 0, 1_000_000),
    proxies: integer(raw, 'TRUST_PROXY', proxies, 0, 10),
    metricsToken: metricsToken(raw['METRICS_TOKEN']),
  };
}

function metricsToken(text: string | undefined): string | undefined {
  if (!text) return undefined;
  if (/^[\x21-\x7e]{16,500}$/.test(text)) return text;
  throw new Error('METRICS_TOKEN must be 16 to 500 printable ASCII characters without spaces.');
}
