export interface DnsServer {
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A DNS server failed, refused or did not respond. The message states which of these. */
export class DnsUnavailable extends Error {}

export abstract class Dns {
  /**
   * Returns the texts of the TXT records, each with its parts joined. Empty if the name does not exist or has none. Not
   * cached.
   * @throws DnsUnavailable
   */
  abstract texts(name: string): Promise<readonly string[]>;
}
