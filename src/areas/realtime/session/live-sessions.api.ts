import { Injectable, Logger } from '@nestjs/common';
import { Metrics } from '../../../engine/health/metrics.js';
import { Calls } from '../../../engine/operation/calls.js';
import { reasonOf } from '../../../kernel/reason.js';
import { Refusal } from '../../../kernel/refusals/refusal.js';
import { throttledLog } from '../../../kernel/throttled-log.js';
import { Clock } from '../../../ports/clock.port.js';
import { SitePasses } from '../../app-users/site-pass/site-passes.api.js';
import { RowWatch } from '../../bases/row/watch/row-watch.api.js';
import { ChannelRights, type RulesKnown } from '../channel/channel-rights.api.js';
import { Channels } from '../channel/channels.api.js';
import { Presence } from '../channel/presence.api.js';
import { RowLists } from '../rows/row-lists.api.js';
import { Wire } from '../wire/wire.api.js';
import { LiveSession, type SessionOpening } from './live-session.js';
import { RightsChanges } from './rights-changes.js';
import type { SessionTools, Staleness } from './session-tools.js';

export { type LiveSession, type MessageId, mostSubscriptions, type SessionOpening } from './live-session.js';

/**
 * These refusals mean that the site was deleted, or that a member has left a preview or an app. The session then ends.
 */
const overFor: ReadonlySet<Refusal['kind']> = new Set(['not-found', 'unauthenticated']);
/** Interval in milliseconds at which sessions are checked for rights that have expired. */
const tickMs = 250;
/** No event here reports that a member's rights have changed, so they are read again at this interval. */
const membersEveryMs = 1_000;
/** Notifications can be lost, so the rights of every session are checked again at this interval. */
const sweepEveryMs = 60_000;
/** Number of sessions that are checked concurrently. After each such batch, other work can run. */
const together = 20;
const againMs = 1_000;
/** A session ends if its rights could not be checked for this long. */
const patienceMs = 15_000;

/**
 * Checks the rights of sessions again after events that can affect them, so that a subscription ends soon after the
 * visitor loses the right to it (Sites supplement, Realtime: within 2 s).
 */
@Injectable()
export class LiveSessions {
  private readonly warn = throttledLog((sentence) => new Logger('Realtime').warn(sentence));
  private readonly open = new Map<string, Set<LiveSession>>();
  private readonly tools: SessionTools;
  /** Grouped by site, so that a site with slow access functions does not delay other sites. */
  private readonly stale = new Map<string, Map<LiveSession, Staleness>>();
  private readonly failing = new Map<LiveSession, number>();
  private readonly judging = new Set<string>();
  private isTicking = false;
  private count = 0;

  constructor(
    private readonly rights: ChannelRights,
    channels: Channels,
    presence: Presence,
    private readonly changes: RightsChanges,
    private readonly wire: Wire,
    passes: SitePasses,
    watch: RowWatch,
    lists: RowLists,
    calls: Calls,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    const rows = { watch, lists, calls };
    this.tools = { rights, channels, presence, rows };
    changes.on(({ workspaceId, projectId, userId, staleness, afterMs }) => {
      const sessions = () => this.of({ workspaceId, projectId, userId });
      if (afterMs === 0) this.mark(sessions(), staleness);
      else clock.after(afterMs, () => this.mark(sessions(), staleness));
    });
    wire.on('session', ({ projectId, userId }) =>
      this.mark(this.of({ projectId: String(projectId), userId: String(userId) }), 'person'),
    );
    passes.onEnd(({ projectId, userId, guestId }) => {
      // Failures are ignored, because a process that misses this message notices the change within a minute.
      wire.publish('session', { projectId, userId: userId ?? guestId ?? '' }).catch(() => undefined);
    });
    wire.lapses(() => this.mark(this.all(), 'person'));
    metrics.gauge('countersign_realtime_sessions', 'Number of visitors connected by WebSocket.', [], async (gauge) => {
      gauge.set(this.count);
    });
  }

  /** @throws Refusal realtime-away, and the refusals of `opening.look` */
  async begin(opening: SessionOpening): Promise<LiveSession> {
    await this.wire.mustHear();
    await this.changes.begin();
    const session: LiveSession = new LiveSession(opening, await opening.look(), this.tools, (staleness) =>
      this.mark([session], staleness),
    );
    const { projectId } = opening;
    this.open.set(projectId, (this.open.get(projectId) ?? new Set()).add(session));
    this.count += 1;
    if (!this.isTicking) this.tick();
    return session;
  }

  /** Idempotent. */
  remove(session: LiveSession): void {
    session.close();
    const { projectId } = session.opening;
    const ofSite = this.open.get(projectId);
    if (ofSite?.delete(session)) this.count -= 1;
    if (ofSite?.size === 0) this.open.delete(projectId);
    this.stale.get(projectId)?.delete(session);
    this.failing.delete(session);
  }

  private *all(): Iterable<LiveSession> {
    for (const sessions of this.open.values()) yield* sessions;
  }

  private *of(which: { workspaceId?: string; projectId?: string | undefined; userId?: string | undefined }) {
    const { workspaceId, projectId, userId } = which;
    for (const session of projectId === undefined ? this.all() : (this.open.get(projectId) ?? [])) {
      if (workspaceId !== undefined && session.opening.workspaceId !== workspaceId) continue;
      if (userId === undefined || session.userId === userId) yield session;
    }
  }

  private mark(sessions: Iterable<LiveSession>, staleness: Staleness): void {
    for (const session of sessions) {
      if (session.hasEnded) continue;
      session.changed();
      const { projectId } = session.opening;
      const ofSite = this.stale.get(projectId) ?? new Map<LiveSession, Staleness>();
      if (ofSite.get(session) !== 'person') ofSite.set(session, staleness);
      this.stale.set(projectId, ofSite);
      if (!this.judging.has(projectId)) void this.judgeAll(projectId);
    }
  }

  private async judgeAll(projectId: string): Promise<void> {
    this.judging.add(projectId);
    // Gives the code that called `mark` time to mark further sessions, so that all of them are checked together.
    await Promise.resolve();
    for (;;) {
      const round = [...(this.stale.get(projectId) ?? [])];
      this.stale.delete(projectId);
      if (round.length === 0) break;
      await this.judgeRound(round);
    }
    this.judging.delete(projectId);
  }

  private async judgeRound(round: readonly (readonly [LiveSession, Staleness])[]): Promise<void> {
    let known: Promise<RulesKnown> | undefined;
    const rulesOf = ({ opening: { workspaceId, projectId } }: LiveSession) => {
      known ??= this.rights.known(workspaceId, projectId);
      return known;
    };
    for (let at = 0; at < round.length; at += together) {
      await Promise.all(round.slice(at, at + together).map(([one, how]) => this.judge(one, how, () => rulesOf(one))));
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  private async judge(session: LiveSession, staleness: Staleness, rules: () => Promise<RulesKnown>): Promise<void> {
    const { close: end } = session.opening;
    try {
      await session.judgeAgain(staleness, await rules());
      this.failing.delete(session);
    } catch (error) {
      if (session.hasEnded) return;
      if (error instanceof Refusal && overFor.has(error.kind)) return end('site-gone');
      this.warn(`The rights of connected visitors cannot be checked at present: ${reasonOf(error)}`);
      const since = this.failing.get(session) ?? this.clock.now();
      this.failing.set(session, since);
      if (this.clock.now() - since >= patienceMs) end('cannot-judge');
      else this.clock.after(againMs, () => this.mark([session], 'person'));
    }
  }

  private tick(): void {
    this.isTicking = true;
    this.clock.after(tickMs, () => {
      const now = this.clock.now();
      let left = Math.ceil((this.count * tickMs) / sweepEveryMs) + 1;
      for (const session of this.all()) {
        const age = now - session.lookedAt;
        if (session.nextChangeAt <= now || (session.isMember && age >= membersEveryMs)) this.mark([session], 'person');
        else if (age >= sweepEveryMs && left > 0) {
          left -= 1;
          this.mark([session], 'person');
        }
      }
      this.isTicking = false;
      if (this.count > 0) this.tick();
    });
  }
}
