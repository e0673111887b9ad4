import { Injectable } from '@nestjs/common';

/** Says, on the node that builds a read model, that it has changed, so that what was made of it can be forgotten. */
@Injectable()
export class ReadModelNews {
  private readonly listeners = new Map<string, (() => void)[]>();

  on(projection: string, listener: () => void): void {
    this.listeners.set(projection, [...(this.listeners.get(projection) ?? []), listener]);
  }

  changed(projection: string): void {
    for (const listener of this.listeners.get(projection) ?? []) listener();
  }
}
