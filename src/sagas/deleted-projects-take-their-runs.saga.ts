import { Injectable } from '@nestjs/common';
import { SiteRunRetention } from '../areas/functions/run/site-run-retention.api.js';
import type { ProjectEvent } from '../areas/sites/project/project.record.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

const reads: readonly ProjectEvent['type'][] = ['ProjectDeleted'];

/** The runs of a deleted project's functions are forgotten. */
@Injectable()
export class DeletedProjectsTakeTheirRuns implements Saga {
  readonly name = 'deleted-projects-take-their-runs';
  readonly reads = reads;

  constructor(private readonly runs: SiteRunRetention) {}

  async react({ stream }: RecordedEvent): Promise<void> {
    const { workspaceId, id } = parseStream(stream);
    await this.runs.forgetProject(workspaceId, id);
  }
}
