export interface DnsServer {
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The name cannot be resolved now, because a server failed, refused or did not respond. The message states which. */
export class DnsUnavailable extends Error {}

/** The Domain Name System, as visitors' browsers see it. */
export abstract class Dns {
  /**
   * Returns the texts of the TXT records at this name, each with its parts joined. Empty if the name does not exist or
   * has none. Not cached. @throws DnsUnavailable
   */
  abstract texts(name: string): Promise<readonly string[]>;
}
