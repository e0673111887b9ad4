/** Maximum number of simultaneous connections of one client. */
const mostConnections = 50;
/** Number of unknown addresses after which a connection is closed. */
const mostUnknown = 10;

interface Open {
  readonly client: string;
  unknown: number;
  timer: NodeJS.Timeout;
}

export class MailSessions {
  private readonly open = new Map<string, Open>();
  private readonly clients = new Map<string, number>();

  /**
   * Returns false if the client has too many connections. `end` is called when the session has lasted for `longestMs`.
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

  guessed(id: string): boolean {
    const session = this.open.get(id);
    if (session === undefined) return true;
    session.unknown += 1;
    return session.unknown < mostUnknown;
  }
}
