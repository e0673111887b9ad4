import { Injectable } from '@nestjs/common';
import type { ProjectEvent } from '../areas/sites/project/project.record.js';
import { ProjectContents } from '../areas/sites/project/project-contents.api.js';
import type { Call } from '../engine/operation/call.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

const ended: ProjectEvent['type'] = 'ProjectDeleted';

/**
 * What belongs to a project ends with it: pages, components. What is created while the project is being deleted may be
 * recorded after it, and is deleted when this saga reaches it.
 */
@Injectable()
export class DeleteContentsOfDeletedProjects implements Saga {
  readonly name = 'delete-contents-of-deleted-projects';

  constructor(private readonly contents: ProjectContents) {}

  /** Slices register their kinds of contents when they start. */
  get reads(): readonly string[] {
    return [ended, ...this.contents.firstTypes];
  }

  async react(event: RecordedEvent, call: (step: string) => Call): Promise<void> {
    if (event.type !== ended) return this.contents.deleteLate(event, call);
    const { workspaceId, id } = parseStream(event.stream);
    await this.contents.deleteAll(workspaceId, id, call);
  }
}
