export interface DnsServer {
  /** A name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * The name cannot be resolved now, because a server failed, refused or did not respond. The message states which of
 * these.
 */
export class DnsUnavailable extends Error {}

/** Looks names up in the Domain Name System, as the browsers of visitors do. */
export abstract class Dns {
  /**
   * Returns the texts of the TXT records at this name, each with its parts joined. Empty if the name does not exist or
   * has none. Not cached. @throws DnsUnavailable
   */
  abstract texts(name: string): Promise<readonly string[]>;
}
