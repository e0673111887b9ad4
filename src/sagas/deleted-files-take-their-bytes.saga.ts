import { Injectable } from '@nestjs/common';
import { FileBytes } from '../areas/sites/file/file-bytes.api.js';
import type { SiteFileEvent } from '../areas/sites/file/site-file.record.js';
import type { Saga } from '../engine/sagas/saga.js';
import type { Recorded, RecordedEvent } from '../kernel/event/event.js';
import { parseStream } from '../kernel/event/stream-name.js';

type Deleted = Recorded<Extract<SiteFileEvent, { type: 'SiteFileDeleted' }>>;

/** Destroys the bytes of a deleted file, or of an upload that came to nothing. */
@Injectable()
export class DeletedFilesTakeTheirBytes implements Saga {
  readonly name = 'deleted-files-take-their-bytes';
  readonly reads: readonly SiteFileEvent['type'][] = ['SiteFileDeleted'];

  constructor(private readonly bytes: FileBytes) {}

  async react(event: RecordedEvent): Promise<void> {
    const { workspaceId } = parseStream(event.stream);
    await this.bytes.destroy({ workspaceId, bytesId: (event as unknown as Deleted).data.bytesId });
  }
}
