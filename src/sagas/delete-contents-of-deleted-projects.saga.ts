import { Injectable } from '@nestjs/common';
import type { ProjectEvent } from '../areas/sites/project/project.record.js';
import { ProjectContents } from '../areas/sites/project/project-contents.api.js';
import type { Call } from '../engine/operation/call.js';
import type { Saga } from '../engine/saga.js';
import type { RecordedEvent } from '../kernel/event.js';
import { parseStream } from '../kernel/stream-name.js';

const reads: readonly ProjectEvent['type'][] = ['ProjectDeleted'];

/** What belongs to a project ends with it: pages, components. */
@Injectable()
export class DeleteContentsOfDeletedProjects implements Saga {
  readonly name = 'delete-contents-of-deleted-projects';
  readonly reads = reads;

  constructor(private readonly contents: ProjectContents) {}

  async react({ stream }: RecordedEvent, call: (step: string) => Call): Promise<void> {
    const { workspaceId, id } = parseStream(stream);
    await this.contents.deleteAll(workspaceId, id, call);
  }
}
