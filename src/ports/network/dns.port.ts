export interface DnsServer {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** No answer for now: a server failed, refused or did not respond. The message says which. */
export class DnsUnavailable extends Error {}

/** The Domain Name System, as visitors' browsers see it. */
export abstract class Dns {
  /**
   * The texts of the TXT records at this name, each with its parts joined. Empty: the name does not exist or has none.
   * Not cached. @throws DnsUnavailable
   */
  abstract texts(name: string): Promise<readonly string[]>;
}
