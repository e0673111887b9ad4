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
    const named = events.map((event) => ({ ...event, once: nameOf(runId, event.type, attemptOf(event)) }));
    const visitedSite = origin.starter && siteVisited(origin.starter);
    const entry = { stream: streamFor(origin), by, events: named, visitedSite };
    return refusingWhenAway(() => this.journal.append(entry, options));
  }

  /** @throws Refusal store-unavailable */
  async at(origin: RunOrigin, revision: number): Promise<RunEvent | undefined> {
    return refusingWhenAway(async () => (await this.journal.at(streamFor(origin), revision)) as RunEvent | undefined);
  }

  /**
   * Returns the run's event of this type and attempt, if it is among the latest events of the function's journal. Call
   * this after a write with an unknown outcome.
   * @throws Refusal store-unavailable
   */
  async find(origin: RunOrigin, type: RunEvent['type'], attempt?: number): Promise<RunEvent | undefined> {
    const once = nameOf(origin.runId, type, attempt);
    return refusingWhenAway(async () => (await this.journal.find(streamFor(origin), once)) as RunEvent | undefined);
  }
}

const streamFor = ({ workspaceId, functionId }: RunOrigin) => streamOf(runCategory, workspaceId, functionId);

/** The journal stores only one event with this key, even if an append with an unknown outcome is repeated. */
function nameOf(runId: string, type: RunEvent['type'], attempt: number | undefined): string {
  return `${runId}/${type}/${attempt ?? ''}`;
}

const attemptOf = ({ data }: RunEvent) => ('attempt' in data ? data.attempt : undefined);
