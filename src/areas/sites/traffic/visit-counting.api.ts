import { Injectable } from '@nestjs/common';
import { Journal, type JournalEntry, refusingWhenAway } from '../../../engine/journal/journal.js';
import { RateLimit } from '../../../engine/quotas/rate-limit.js';
import { RecordingQuota } from '../../../engine/quotas/recording-quota.js';
import { visitorActor } from '../../../kernel/actors/visitor-actor.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import { refuseInput } from '../../../kernel/field/refuse-input.js';
import { Clock } from '../../../ports/clock.port.js';
import { SiteOrigins } from '../project/addresses/site-origins.api.js';
import type { Project } from '../project/project.record.js';
import { DaySalts, dayOf } from './day-salts.js';
import { type Visit, type VisitsEvent, visitsCategory } from './traffic.record.js';
import { deviceOf, isBot, referrerOf, visitedPath } from './visit.js';

export interface SentVisit {
  readonly path: string;
  readonly referrer?: string | null;
  readonly host: string;
  /** The address and the agent are stored only as a hash. */
  readonly address: string;
  readonly agent: string;
}

interface Gathered {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly day: string;
  readonly visits: Visit[];
}

/** Rate limit of appends to the log: 600 at once, and ten a second in the long run. */
const writes = { burst: 600, fillMs: 60_000 };
/** If this many views are waiting, they are appended without waiting for the rate limit. */
const enough = 100;
const mostVisits = 500;
const longestAgent = 1_000;

/**
 * Views that arrive during an append are recorded together by the next one. The rate of appends is limited, because
 * every append makes all processes rebuild the pages of sites that they have cached. Under load, a view waits up to a
 * tenth of a second.
 */
@Injectable()
export class VisitCounting {
  private readonly pace: RateLimit;
  private readonly gathered = new Map<string, Gathered>();
  private next: Promise<void> | undefined;
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  private hurry: () => void = () => undefined;

  constructor(
    private readonly journal: Journal,
    private readonly quota: RecordingQuota,
    private readonly salts: DaySalts,
    private readonly origins: SiteOrigins,
    private readonly clock: Clock,
  ) {
    this.pace = new RateLimit(writes, clock);
  }

  /**
   * Views of bots are ignored.
   * @throws Refusal invalid-input, visitors-quota, store-unavailable
   */
  async count(project: Project, sent: SentVisit): Promise<void> {
    const path = visitedPath(sent.path) ?? refuseInput([{ path: 'path', message: 'must begin with /' }]);
    const agent = sent.agent.slice(0, longestAgent);
    if (isBot(agent)) return;
    const { workspaceId, id: projectId } = project;
    await this.quota.mustHaveRoom({ workspaceId, visitedSite: projectId }, 'runs');
    const own = [sent.host, new URL(await this.origins.originOf(project)).hostname];
    const day = dayOf(this.clock.now());
    const visitor = await this.salts.hash({ workspaceId, projectId }, day, [sent.address, agent]);
    const visit: Visit = [visitor, path, referrerOf(sent.referrer, own), deviceOf(agent)];
    const key = `${projectId} ${day}`;
    const site = this.gathered.get(key) ?? { workspaceId, projectId, day, visits: [] };
    this.gathered.set(key, site);
    site.visits.push(visit);
    this.waiting += 1;
    if (this.waiting >= enough) this.hurry();
    await this.recorded();
  }

  private recorded(): Promise<void> {
    if (this.next === undefined) {
      this.next = this.last.then(() => this.record());
      this.last = this.next.catch(() => undefined);
    }
    return this.next;
  }

  private async record(): Promise<void> {
    const waitMs = this.pace.consume('');
    if (waitMs > 0 && this.waiting < enough) await this.pause(waitMs);
    const all = [...this.gathered.values()];
    this.waiting = 0;
    this.gathered.clear();
    this.next = undefined;
    await refusingWhenAway(() => this.journal.appendAll(all.flatMap(entriesOf)));
  }

  private async pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.hurry = resolve;
    const callOff = this.clock.after(ms, resolve);
    await promise;
    callOff();
    this.pace.consume('');
  }
}

function entriesOf({ workspaceId, projectId, day, visits }: Gathered): readonly JournalEntry[] {
  const stream = streamOf(visitsCategory, workspaceId, projectId);
  const by = { workspaceId, actor: visitorActor({ kind: 'visitor', id: projectId }), operation: 'site/traffic' };
  const pieces = Array.from({ length: Math.ceil(visits.length / mostVisits) }, (_, at) =>
    visits.slice(at * mostVisits, (at + 1) * mostVisits),
  );
  return pieces.map((piece) => {
    const event: VisitsEvent = { type: 'VisitsCounted', data: { projectId, day, visits: piece } };
    return { stream, by, events: [event], visitedSite: projectId };
  });
}
