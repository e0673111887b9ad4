/** Number of connections that one client may have at once. */
const mostConnections = 50;
/** Number of unknown addresses that one connection may try. */
const mostUnknown = 10;

interface Open {
  readonly client: string;
  unknown: number;
  timer: NodeJS.Timeout;
}

/** The state of each open connection. */
export class MailSessions {
  private readonly open = new Map<string, Open>();
  private readonly clients = new Map<string, number>();

  /**
   * Begins a session. Returns false if the client has too many connections. `end` is called if this one has been open
   * for too long.
   */
  begin(id: string, client: string, longestMs: number, end: () => void): boolean {
    const count = (this.clients.get(client) ?? 0) + 1;
    if (count > mostConnections) return false;
    this.clients.set(client, count);
    this.open.set(id, { client, unknown: 0, timer: setTimeout(end, longestMs).unref() });
    return true;
  }

  end(id: string): void {
    const session = this.open.get(id);
    if (session === undefined) return;
    clearTimeout(session.timer);
    this.open.delete(id);
    const left = (this.clients.get(session.client) ?? 1) - 1;
    if (left === 0) this.clients.delete(session.client);
    else this.clients.set(session.client, left);
  }

  /** Counts an unknown address that the client tried. Returns false if it has done so too often. */
  guessed(id: string): boolean {
    const session = this.open.get(id);
    if (session === undefined) return true;
    session.unknown += 1;
    return session.unknown < mostUnknown;
  }
}
