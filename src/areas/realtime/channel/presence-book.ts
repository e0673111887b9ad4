import { compareTexts } from '../../../kernel/text/code-points.js';
import type { Sender } from './channel-message.api.js';

export interface PresenceChange extends Sender {
  readonly projectId: string;
  readonly channel: string;
  readonly connections: number;
}

interface ChannelOfSite {
  readonly projectId: string;
  readonly channel: string;
}

export class PresenceBook {
  private readonly peopleByChannel = new Map<string, Map<string, PresenceChange>>();

  /** Returns the people sorted by kind and id, with the sum of their connections in all books. */
  static together(
    books: readonly PresenceBook[],
    { projectId, channel }: ChannelOfSite,
  ): (Sender & { readonly connections: number })[] {
    const found = new Map<string, PresenceChange>();
    for (const { peopleByChannel } of books) {
      for (const [who, change] of peopleByChannel.get(keyOf({ projectId, channel })) ?? []) {
        const connections = change.connections + (found.get(who)?.connections ?? 0);
        found.set(who, { ...change, connections });
      }
    }
    return [...found]
      .sort(([one], [other]) => compareTexts(one, other))
      .map(([, { kind, id, connections }]) => ({ kind, id, connections }));
  }

  get isEmpty(): boolean {
    return this.peopleByChannel.size === 0;
  }

  count(projectId: string, channel: string, who: Sender, by: number): PresenceChange {
    const before = this.peopleByChannel.get(keyOf({ projectId, channel }))?.get(whoOf(who))?.connections ?? 0;
    const change = { projectId, channel, ...who, connections: before + by };
    this.set(change);
    return change;
  }

  set(change: PresenceChange): void {
    const key = keyOf(change);
    const people = this.peopleByChannel.get(key) ?? new Map<string, PresenceChange>();
    if (change.connections > 0) people.set(whoOf(change), change);
    else people.delete(whoOf(change));
    if (people.size > 0) this.peopleByChannel.set(key, people);
    else this.peopleByChannel.delete(key);
  }

  all(): readonly PresenceChange[] {
    return [...this.peopleByChannel.values()].flatMap((people) => [...people.values()]);
  }
}

/** Unique, because kinds, ids and names of channels contain no spaces. */
const keyOf = ({ projectId, channel }: ChannelOfSite) => `${projectId} ${channel}`;
const whoOf = ({ kind, id }: Sender) => `${kind} ${id}`;
