import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

/** Opens a client's sockets. It can cut them, prevent new ones, and delay responses. */
export class CuttableSockets {
  private readonly open = new Set<Socket>();
  private away = false;
  private lateMs = 0;

  readonly factory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    // No process listens on this port, as if the brokers were gone.
    const target = this.away ? { host: '127.0.0.1', port: 1 } : { host, port };
    const socket = ssl && !this.away ? connectTls({ ...target, ...ssl }, onConnect) : connect(target, onConnect);
    const emit: Socket['emit'] = socket.emit.bind(socket);
    socket.emit = (event: string, ...given: unknown[]) => {
      if (event !== 'data' || this.lateMs === 0) return emit(event, ...given);
      setTimeout(() => emit(event, ...given), this.lateMs);
      return true;
    };
    this.open.add(socket);
    socket.on('close', () => this.open.delete(socket));
    return socket;
  };

  /** Closes every connection. New connections are possible. */
  cut(): void {
    for (const socket of this.open) socket.destroy(new Error('cut'));
  }

  /**
   * Delays every response. Must be called before a connection is opened, because otherwise responses would overtake one
   * another.
   */
  answerLate(ms: number): void {
    this.lateMs = ms;
  }

  goAway(): void {
    this.away = true;
    this.cut();
  }

  comeBack(): void {
    this.away = false;
  }
}
