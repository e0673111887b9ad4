export interface DnsServer {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

/** The answer was not to be had for now: a server failed, refused or kept silent. The message says which. */
export class DnsUnavailable extends Error {}

/** The Domain Name System, as visitors' browsers see it. */
export abstract class Dns {
  /**
   * The texts of the TXT records at this name, each whole however many parts it comes in. Empty: the name is not there, or
   * has none. Asks anew every time, and changes nothing.
   * @throws DnsUnavailable
   */
  abstract texts(name: string): Promise<readonly string[]>;
}
