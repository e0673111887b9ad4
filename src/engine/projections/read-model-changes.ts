import { Injectable } from '@nestjs/common';

/** For read models that this process builds. Listeners drop cached data. */
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
