import { Injectable } from '@nestjs/common';
import { ReadYourWrites } from '../../../engine/read-models/read-your-writes.js';
import { Reads } from '../../../engine/scopes/reads.js';
import type { EventMetadata } from '../../../kernel/event/event.js';
import type { Document } from '../../../kernel/record/projection.js';
import { Clock } from '../../../ports/clock.port.js';

export interface Cause extends Document, Pick<EventMetadata, 'causationId'> {
  /** Set if the cause is a run. */
  readonly eventDepth?: number;
}

const runModels = ['runs', 'flowRuns', 'agentRuns'];

const pauseMs = 20;

/**
 * Finds what caused an event. A cause is recorded before the event, but another process may add it to the read models
 * later. If such a cause counted as missing, a chain of triggers would seem to begin anew, and a loop would never end.
 */
@Injectable()
export class Causes {
  constructor(
    private readonly reads: Reads,
    private readonly readYourWrites: ReadYourWrites,
    private readonly clock: Clock,
  ) {}

  /** Returns undefined if the audit has no such event, or if the run no longer exists. */
  async of(workspaceId: string, id: string, position: number): Promise<Cause | undefined> {
    if (isEventId(id)) return this.find(workspaceId, ['audit'], id, position);
    return isRunId(id) ? this.find(workspaceId, runModels, id, position) : undefined;
  }

  /**
   * Waits only for a document that is missing while a read model does not include `position` yet.
   * @param position log position of the event whose cause is looked up
   * @throws Error if a read model does not include it within a limited time
   */
  async find<Found extends Document>(
    workspaceId: string,
    models: readonly string[],
    id: string,
    position: number,
  ): Promise<Found | undefined> {
    const isComplete = models.every((model) => this.readYourWrites.taken(model) >= position);
    const found = await this.shown<Found>(workspaceId, models, id);
    if (found !== undefined || isComplete) return found;
    const all = Promise.all(models.map((model) => this.readYourWrites.reaches(model, position)));
    const ended = all.then((each) => (each.every((reached) => reached) ? 'complete' : 'late'));
    for (;;) {
      // The document can appear long before the read models are known to include the position.
      const outcome = await Promise.race([ended, this.pause()]);
      const appeared = await this.shown<Found>(workspaceId, models, id);
      if (appeared !== undefined || outcome === 'complete') return appeared;
      if (outcome === 'late') throw new Error(`The read models do not include the cause ${id} yet.`);
    }
  }

  private async shown<Found extends Document>(
    workspaceId: string,
    models: readonly string[],
    id: string,
  ): Promise<Found | undefined> {
    for (const model of models) {
      const document = await this.reads.get<Found>(workspaceId, model, id);
      if (document !== undefined) return document;
    }
    return undefined;
  }

  private pause(): Promise<undefined> {
    return new Promise((resolve) => this.clock.after(pauseMs, () => resolve(undefined)));
  }
}

/** Ids of recorded events are UUIDs. */
const isEventId = (id: string): boolean => /^[0-9a-f]{8}-/.test(id);

/** The ids of all kinds of runs. Mails can be causes too, and have other ids. */
const isRunId = (id: string): boolean => /^[a-z]*run_/.test(id);
