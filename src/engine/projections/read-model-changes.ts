import { Injectable } from '@nestjs/common';

/** Reports changes of read models that this process builds, so that listeners can drop cached data. */
@Injectable()
export class ReadModelChanges {
  private readonly listeners = new Map<string, (() => void)[]>();

  on(projection: string, listener: () => void): void {
    this.listeners.set(projection, [...(this.listeners.get(projection) ?? []), listener]);
  }

  changed(projection: string): void {
    for (const listener of this.listeners.get(projection) ?? []) listener();
  }
}
