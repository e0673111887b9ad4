import { Injectable } from '@nestjs/common';
import { CommandRunner } from '../../../engine/commands/command-runner.js';
import { Calls, systemActor } from '../../../engine/operation/calls.js';
import { Retention, type Sweep } from '../../../engine/retention/retention.js';
import { giveUpFile } from './site-file.js';
import { type SiteFile, siteFiles } from './site-file.record.js';

const name = 'abandoned-uploads';
/** An unfinished upload is given up after this time. No upload takes this long, so its process must have died. */
const retainedMs = 3_600_000;

@Injectable()
export class AbandonedUploads {
  readonly sweep: Sweep;

  constructor(retention: Retention, runner: CommandRunner, calls: Calls) {
    this.sweep = retention.add<SiteFile>({
      name,
      collection: 'siteFiles',
      age: 'createdAt',
      over: { isStored: false },
      retainedMs,
      key: ({ id }) => id,
      forget: async ([{ workspaceId, id, bytesId }]) => {
        await runner.change(calls.once(workspaceId, systemActor(name), name), {
          aggregate: siteFiles,
          id,
          begins: 'perhaps',
          decide: (file) => giveUpFile(file, bytesId),
        });
      },
    });
  }
}
