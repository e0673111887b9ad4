import { instantOf } from '../../../kernel/condition/instant.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import type { SiteVisitor } from '../../app-users/site-pass/site-passes.api.js';
import { mustBeChannel, reportsPresence, type Sender, senderOf } from '../channel/channel-message.api.js';
import type { ChannelDenied, RulesKnown } from '../channel/channel-rights.api.js';
import type { SerialisedMessage } from '../channel/channels.api.js';
import { refusalOf, refuse } from '../realtime.refusals.js';
import type { RowOp } from '../rows/row-lists.api.js';
import type { SessionTools, Staleness } from './session-tools.js';
import { WatchedList } from './watched-list.js';

/** Chosen by the client. Answers to the message contain the id. */
export type MessageId = string | number | undefined;

export interface SessionOpening {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly baseId: string;
  look(): Promise<SiteVisitor>;
  /** Delivery is not guaranteed. */
  send(message: SerialisedMessage): void;
  /** The session sends nothing after this call. */
  close(why: 'site-gone' | 'cannot-judge'): void;
}

interface Listening {
  /** Whom the channel shows as present. */
  readonly sender: Sender;
  end(): void;
}

/**
 * Maximum number of subscriptions of one connection, to channels and lists of rows together (Sites supplement,
 * Realtime).
 */
export const mostSubscriptions = 100;
/** Maximum size of the filters of one connection's lists together, in bytes of JSON, because they stay in memory. */
const largestFilters = 16 * 1024;
const longestTable = 200;

/** The right to a subscription is checked when the visitor subscribes, and again each time it can have changed. */
export class LiveSession {
  private readonly channels = new Map<string, Listening>();
  private readonly lists = new Map<string | number, WatchedList>();
  private ended = false;
  private changes = 0;

  /**
   * @param who replaced only when all subscriptions are checked. If `look` replaced it after the end of the visitor's
   * session, this connection could no longer be found by `userId` and `nextChangeAt`, and its subscriptions would stay.
   */
  constructor(
    readonly opening: SessionOpening,
    private who: SiteVisitor,
    private readonly tools: SessionTools,
    private readonly stale: (staleness: Staleness) => void,
  ) {}

  get userId(): string | undefined {
    return this.who.user?.id ?? this.who.guestId;
  }

  get lookedAt(): number {
    return this.who.visitor.now;
  }

  get isMember(): boolean {
    return this.who.visitor.member !== undefined;
  }

  get nextChangeAt(): number {
    return nextChangeOf(this.who, this.lookedAt);
  }

  get hasEnded(): boolean {
    return this.ended;
  }

  get isIdle(): boolean {
    return this.size === 0;
  }

  async subscribe(name: unknown, id: MessageId): Promise<void> {
    const channel = mustBeChannel(name);
    const { changes } = this;
    const who = await this.look();
    const denied = await this.tools.rights.denied(await this.known(), who, channel, 'subscribe');
    if (this.ended) return;
    if (denied !== undefined) return this.refuse(channel, id, denied);
    if (!this.channels.has(channel)) {
      this.mustHaveRoom();
      this.channels.set(channel, this.begin(channel, who));
    }
    this.answer({ type: 'subscribed', channel, id });
    // If rights changed during the check, `judgeAgain` did not see this channel, so the session is marked to be checked
    // again.
    if (changes !== this.changes) this.stale('person');
  }

  /** Reports contain `id` and the row's id, but no values. */
  async subscribeRows(table: unknown, filter: Json | undefined, id: MessageId): Promise<void> {
    if (id === undefined) return refuse('rows-id-missing');
    if (typeof table !== 'string' || table.length > longestTable) return refuse('rows-table-missing');
    if (filter !== undefined && !isJsonObject(filter))
      return refuseInput([{ path: 'filter', message: 'must be a filter' }]);
    const { changes } = this;
    const who = await this.look();
    const { policies } = await this.known();
    this.lists.get(id)?.close();
    this.lists.delete(id);
    this.mustHaveRoom();
    this.mustHaveRoomFor(filter);
    const telling = {
      subscriber: this,
      row: (op: RowOp, rowId: string) => this.answer({ type: 'row', id, op, rowId }),
      reload: () => this.answer({ type: 'reload', id }),
      stale: () => this.stale('rules'),
    };
    const asked = { baseId: this.opening.baseId, table, filter };
    const list = await WatchedList.begin(asked, who, policies, telling, this.tools.rows);
    if (this.ended) return list.close();
    this.lists.set(id, list);
    this.answer({ type: 'subscribed', table, id });
    if (changes !== this.changes) this.stale('person');
  }

  unsubscribeRows(id: MessageId): void {
    const which = id ?? refuse('rows-id-missing');
    this.lists.get(which)?.close();
    this.lists.delete(which);
    this.answer({ type: 'unsubscribed', id });
  }

  unsubscribe(name: unknown, id: MessageId): void {
    const channel = mustBeChannel(name);
    this.leave(channel);
    this.answer({ type: 'unsubscribed', channel, id });
  }

  async publish(name: unknown, data: Json | undefined, id: MessageId): Promise<void> {
    const channel = mustBeChannel(name);
    const who = await this.look();
    const denied = await this.tools.rights.denied(await this.known(), who, channel, 'publish');
    if (denied !== undefined) return this.refuse(channel, id, denied);
    const { projectId } = this.opening;
    if (who.visitor.member === undefined) this.tools.channels.mustHaveRoom(projectId, channel);
    await this.tools.channels.publish({ projectId, channel, data, from: senderOf(who) });
    if (id !== undefined) this.answer({ type: 'published', channel, id });
  }

  /** The visitor must have the right to listen to the channel. */
  async presence(name: unknown, id: MessageId): Promise<void> {
    const channel = mustBeChannel(name);
    if (!reportsPresence(channel)) refuse('channel-without-presence');
    const who = await this.look();
    const denied = await this.tools.rights.denied(await this.known(), who, channel, 'subscribe');
    if (denied !== undefined) return this.refuse(channel, id, denied);
    this.answer({ type: 'presence', channel, id, ...this.tools.presence.presentIn(this.opening.projectId, channel) });
  }

  /**
   * Must be called as soon as rights can have changed, before `judgeAgain`. Subscriptions whose first check is still
   * running are then checked again.
   */
  changed(): void {
    this.changes += 1;
  }

  /**
   * Ends subscriptions that the visitor is no longer allowed to have. The others are updated: lists report rows that
   * appear or disappear, and presence channels show the visitor's current identity.
   * @throws the first failure, after all lists; call again later
   */
  async judgeAgain(staleness: Staleness, known: RulesKnown): Promise<void> {
    if (this.ended) return;
    if (staleness === 'person') this.who = await this.opening.look();
    const { who } = this;
    const { kind, id: senderId } = senderOf(who);
    for (const [channel, { sender }] of [...this.channels]) {
      const denied = await this.tools.rights.denied(known, who, channel, 'subscribe');
      if (this.ended) return;
      if (denied !== undefined) {
        this.leave(channel);
        this.refuse(channel, undefined, denied);
      } else if (reportsPresence(channel) && (sender.kind !== kind || sender.id !== senderId)) {
        this.leave(channel);
        this.channels.set(channel, this.begin(channel, who));
      }
    }
    const failures: unknown[] = [];
    for (const [id, list] of [...this.lists]) {
      // One list that cannot be checked at present must not leave the others with rights that have ended.
      const refusal = await list.judgeAgain(who, known.policies).catch((error: unknown) => void failures.push(error));
      if (this.ended) return;
      if (!(refusal instanceof Refusal) || this.lists.get(id) !== list) continue;
      this.lists.delete(id);
      this.answer({ type: 'refused', id, code: refusal.code, message: refusal.message });
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Idempotent. */
  close(): void {
    this.ended = true;
    for (const channel of [...this.channels.keys()]) this.leave(channel);
    for (const list of this.lists.values()) list.close();
    this.lists.clear();
  }

  answer(message: { readonly type: string; readonly [member: string]: unknown }): void {
    if (!this.ended) this.opening.send({ text: JSON.stringify(message) });
  }

  private get size(): number {
    return this.channels.size + this.lists.size;
  }

  private mustHaveRoom(): void {
    if (this.size >= mostSubscriptions) refuse('channels-taken', { most: mostSubscriptions });
  }

  private mustHaveRoomFor(filter: JsonObject | undefined): void {
    const filters = [filter, ...[...this.lists.values()].map(({ asked }) => asked.filter)];
    const bytes = filters.reduce(
      (sum, one) => sum + (one === undefined ? 0 : Buffer.byteLength(JSON.stringify(one))),
      0,
    );
    if (bytes <= largestFilters) return;
    const limit = `the filters of one connection's lists may be at most ${largestFilters / 1024} KB of JSON together`;
    const next = 'shorten it, unsubscribe from other lists, or read these rows without following them';
    refuseInput([{ path: 'filter', message: `is too long: ${limit}; ${next}` }]);
  }

  private begin(channel: string, who: SiteVisitor): Listening {
    const { projectId, send } = this.opening;
    const sender = senderOf(who);
    const stop = this.tools.channels.listen(projectId, channel, send);
    const leave = reportsPresence(channel) ? this.tools.presence.enter(projectId, channel, sender) : () => undefined;
    return {
      sender,
      end: () => {
        stop();
        leave();
      },
    };
  }

  private leave(channel: string): void {
    this.channels.get(channel)?.end();
    this.channels.delete(channel);
  }

  /**
   * If the visitor has become somebody else, for example after a ban was lifted, marks this session to be checked
   * again. An anonymous visitor does not mark it, because users who have just changed their password look signed out
   * until their session is renewed.
   */
  private async look(): Promise<SiteVisitor> {
    const who = await this.opening.look();
    const { kind, id } = senderOf(who);
    if (kind !== 'visitor' && id !== senderOf(this.who).id) this.stale('person');
    return who;
  }

  private known(): Promise<RulesKnown> {
    const { workspaceId, projectId } = this.opening;
    return this.tools.rights.known(workspaceId, projectId);
  }

  private refuse(channel: string, id: MessageId, { code, decisionId }: ChannelDenied): void {
    this.answer({ type: 'refused', channel, id, code, message: refusalOf(code).message, decisionId });
  }
}

/**
 * Returns the time, in milliseconds since 1970, at which the session or an entitlement expires. Infinity means never.
 * @param lookedAt when these facts were read
 */
export function nextChangeOf({ until, visitor: { person } }: SiteVisitor, lookedAt: number): number {
  const ends = (person?.entitlements ?? []).flatMap(({ expiresAt, graceUntil }) => [expiresAt, graceUntil]);
  const instants = ends.map((end) => (end === null ? undefined : instantOf(end)));
  const coming = [until, ...instants].filter((instant) => instant !== undefined && instant > lookedAt);
  return Math.min(Number.POSITIVE_INFINITY, ...(coming as number[]));
}
