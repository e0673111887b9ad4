import { Injectable } from '@nestjs/common';
import { Journal, refusingWhenAway } from '../../../engine/journal/journal.js';
import { siteVisited } from '../../../kernel/callers/starter.js';
import { streamOf } from '../../../kernel/event/stream-name.js';
import type { Appended, AppendOptions } from '../../../ports/event-store.port.js';
import { type RunEvent, runCategory } from './run.record.js';
import type { RunRequest } from './run-request.api.js';

export type RunOrigin = Pick<
  RunRequest,
  'workspaceId' | 'functionId' | 'runId' | 'actor' | 'correlationId' | 'causationId'
> &
  Partial<Pick<RunRequest, 'starter'>>;

/** Entries do not conflict, so they are appended without checking the revision. */
@Injectable()
export class RunJournal {
  constructor(private readonly journal: Journal) {}

  /**
   * Resolves when the events are durable and all later reads see them.
   * @throws Refusal store-unavailable
   */
  write(origin: RunOrigin, events: readonly RunEvent[], options: AppendOptions = {}): Promise<Appended> {
    const { workspaceId, runId, actor, correlationId, causationId } = origin;
    const by = { workspaceId, actor, correlationId, causationId, commandId: runId, operation: 'automations/run' };
    const named = events.map((event) => ({ ...event, once: nameOf(runId, event) }));
    const visitedSite = origin.starter && siteVisited(origin.starter);
    const entry = { stream: streamFor(origin), by, events: named, visitedSite };
    return refusingWhenAway(() => this.journal.append(entry, options));
  }

  async at(origin: RunOrigin, revision: number): Promise<RunEvent | undefined> {
    return (await this.journal.at(streamFor(origin), revision)) as RunEvent | undefined;
  }

  /**
   * Returns whether the event is recorded. Call this after a write with an unknown outcome.
   * @throws EventStoreUnavailable
   */
  holds(origin: RunOrigin, event: RunEvent): Promise<boolean> {
    return this.journal.holds(streamFor(origin), nameOf(origin.runId, event));
  }
}

const streamFor = ({ workspaceId, functionId }: RunOrigin) => streamOf(runCategory, workspaceId, functionId);

/** The journal stores only one event with this key, even if an append with an unknown outcome is repeated. */
function nameOf(runId: string, { type, data }: RunEvent): string {
  return `${runId}/${type}/${'attempt' in data ? data.attempt : ''}`;
}
