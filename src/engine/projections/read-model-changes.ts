import { Injectable } from '@nestjs/common';

/** Notifies listeners that a read model changed, in the process that builds it, so that they can drop derived data. */
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
