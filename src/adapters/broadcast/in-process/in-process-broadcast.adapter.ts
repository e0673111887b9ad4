import type { JsonObject } from '../../../kernel/json/json.js';
import { Broadcast, BroadcastUnavailable, type Listener } from '../../../ports/broadcast.port.js';

export class InProcessBroadcast extends Broadcast {
  override readonly isShared = false;
  private listener: Listener | undefined;
  private closed = false;
  private readonly waiting: JsonObject[] = [];
  private isTelling = false;

  override belongTo(): void {}

  override async publish(message: JsonObject): Promise<void> {
    if (this.closed) throw new BroadcastUnavailable('Broadcasting is closed.');
    this.waiting.push(message);
    if (!this.isTelling) this.notify();
  }

  override async listen(listener: Listener): Promise<void> {
    if (this.listener !== undefined) throw new Error('This process is already listening.');
    this.listener = listener;
  }

  override async check(): Promise<void> {
    if (this.closed) throw new BroadcastUnavailable('Broadcasting is closed.');
  }

  override async close(): Promise<void> {
    this.closed = true;
    this.listener = undefined;
  }

  private notify(): void {
    this.isTelling = true;
    try {
      for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) this.listener?.heard(next);
    } finally {
      this.isTelling = false;
    }
  }
}
