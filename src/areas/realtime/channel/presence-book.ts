import { compareTexts } from '../../../kernel/text/code-points.js';
import type { Sender } from './channel-message.api.js';

/** The number of connections that someone has to a channel, which is 0 after the last one has ended. */
export interface PresenceChange extends Sender {
  readonly projectId: string;
  readonly channel: string;
  readonly connections: number;
}

interface Place {
  readonly projectId: string;
  readonly channel: string;
}

/** The people connected to one process, by channel. */
export class PresenceBook {
  private readonly places = new Map<string, Map<string, PresenceChange>>();

  /** Returns all people at a channel, with the connections of all processes. */
  static together(
    books: readonly PresenceBook[],
    { projectId, channel }: Place,
  ): (Sender & { readonly connections: number })[] {
    const found = new Map<string, PresenceChange>();
    for (const { places } of books) {
      for (const [who, change] of places.get(keyOf({ projectId, channel })) ?? []) {
        const connections = change.connections + (found.get(who)?.connections ?? 0);
        found.set(who, { ...change, connections });
      }
    }
    return [...found]
      .sort(([one], [other]) => compareTexts(one, other))
      .map(([, { kind, id, connections }]) => ({ kind, id, connections }));
  }

  get isEmpty(): boolean {
    return this.places.size === 0;
  }

  count(projectId: string, channel: string, who: Sender, by: number): PresenceChange {
    const before = this.places.get(keyOf({ projectId, channel }))?.get(whoOf(who))?.connections ?? 0;
    const change = { projectId, channel, ...who, connections: before + by };
    this.set(change);
    return change;
  }

  set(change: PresenceChange): void {
    const place = keyOf(change);
    const there = this.places.get(place) ?? new Map<string, PresenceChange>();
    if (change.connections > 0) there.set(whoOf(change), change);
    else there.delete(whoOf(change));
    if (there.size > 0) this.places.set(place, there);
    else this.places.delete(place);
  }

  all(): readonly PresenceChange[] {
    return [...this.places.values()].flatMap((there) => [...there.values()]);
  }
}

/** Neither part of the key contains spaces. */
const keyOf = ({ projectId, channel }: Place) => `${projectId} ${channel}`;
const whoOf = ({ kind, id }: Sender) => `${kind} ${id}`;
