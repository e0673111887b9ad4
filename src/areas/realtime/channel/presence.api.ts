import { Injectable } from '@nestjs/common';
import { ProcessName } from '../../../engine/cluster/process-name.js';
import type { JsonObject } from '../../../kernel/json/json.js';
import { Clock } from '../../../ports/clock.port.js';
import { Wire } from '../wire/wire.api.js';
import type { Sender } from './channel-message.api.js';
import { PresenceBook, type PresenceChange } from './presence-book.js';

export interface Present extends Sender {
  readonly connections: number;
}

/** Messages with changes are numbered without gaps, so receivers notice lost ones. */
interface Announcement {
  readonly process: string;
  readonly number?: number;
  readonly changes?: readonly PresenceChange[];
  /** If set, `changes` replaces everything that the receiver knows about the people connected to the sender. */
  readonly anew?: true;
  /** Name of the process that should send its complete state, or `*` for all processes. */
  readonly asks?: string;
}

const everyone = '*';
const gatheredMs = 50;
const beatMs = 2_000;
/** A process that is silent for this long is treated as dead, and the people connected to it are no longer shown. */
const silenceMs = 7_000;
const changesAtOnce = 500;
const mostListed = 1_000;

interface Elsewhere {
  readonly book: PresenceBook;
  number: number;
  heardAt: number;
}

/**
 * Tracks who is present in channels, across all processes. Each process broadcasts heartbeats and the changes of its
 * own connections. When a process falls silent, the people connected to it are removed.
 */
@Injectable()
export class Presence {
  private readonly here = new PresenceBook();
  private readonly elsewhere = new Map<string, Elsewhere>();
  private changes = new Map<string, PresenceChange>();
  private number = 0;
  private isBeating = false;
  private isFlushing = false;
  private announcedAllAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly wire: Wire,
    private readonly clock: Clock,
    private readonly process: ProcessName,
  ) {
    wire.on('presence', (message) => this.heard(message as unknown as Announcement));
    wire.lapses(() => this.say({ asks: everyone }));
  }

  /** The returned function removes the connection and must be called only once. */
  enter(projectId: string, channel: string, who: Sender): () => void {
    this.count(projectId, channel, who, 1);
    return () => this.count(projectId, channel, who, -1);
  }

  /** Returns at most `mostListed` people, sorted by kind and id, and the number of all people present. */
  presentIn(projectId: string, channel: string): { readonly present: readonly Present[]; readonly total: number } {
    const now = this.clock.now();
    for (const [process, { heardAt }] of this.elsewhere) {
      if (now - heardAt > silenceMs) this.elsewhere.delete(process);
    }
    const all = PresenceBook.together([this.here, ...[...this.elsewhere.values()].map(({ book }) => book)], {
      projectId,
      channel,
    });
    return { present: all.slice(0, mostListed), total: all.length };
  }

  private count(projectId: string, channel: string, who: Sender, by: 1 | -1): void {
    const change = this.here.count(projectId, channel, who, by);
    if (!this.wire.isShared) return;
    this.changes.set(`${projectId} ${channel} ${who.kind} ${who.id}`, change);
    this.flushSoon();
    if (!this.isBeating) this.beat();
  }

  private flushSoon(): void {
    if (this.isFlushing) return;
    this.isFlushing = true;
    this.clock.after(gatheredMs, () => {
      this.isFlushing = false;
      const changes = [...this.changes.values()];
      this.changes = new Map();
      this.announce(changes);
    });
  }

  private announce(changes: readonly PresenceChange[], anew = false): void {
    for (let at = 0; at < changes.length || (anew && at === 0); at += changesAtOnce) {
      this.number += 1;
      const part = { number: this.number, changes: changes.slice(at, at + changesAtOnce) };
      this.say(anew && at === 0 ? { ...part, anew } : part);
    }
  }

  private beat(): void {
    this.isBeating = true;
    this.clock.after(beatMs, () => {
      this.say({ number: this.number });
      if (this.here.isEmpty) this.isBeating = false;
      else this.beat();
    });
  }

  private heard({ process, number, changes = [], anew, asks }: Announcement): void {
    if (process === this.process.value) return;
    if (asks === everyone || asks === this.process.value) this.announceAll();
    if (number === undefined) return;
    const known = anew ? undefined : this.elsewhere.get(process);
    const next = known === undefined ? anew : known.number + (changes.length > 0 ? 1 : 0) === number;
    if (!next) {
      this.elsewhere.delete(process);
      this.say({ asks: process });
      return;
    }
    const book = known?.book ?? new PresenceBook();
    for (const change of changes) book.set(change);
    this.elsewhere.set(process, { book, number, heardAt: this.clock.now() });
  }

  /** Sends the complete state, at most once per second, because several processes can ask for the state at once. */
  private announceAll(): void {
    const now = this.clock.now();
    if (now - this.announcedAllAt < 1_000 || (this.here.isEmpty && this.number === 0)) return;
    this.announcedAllAt = now;
    this.changes = new Map();
    this.announce(this.here.all(), true);
  }

  /** Ignores failures, because receivers notice the gap in the numbers of the messages. */
  private say(announcement: Omit<Announcement, 'process'>): void {
    if (!this.wire.isShared) return;
    this.wire
      .publish('presence', { process: this.process.value, ...announcement } as unknown as JsonObject)
      .catch(() => undefined);
  }
}
