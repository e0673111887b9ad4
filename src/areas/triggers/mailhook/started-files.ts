import { Injectable } from '@nestjs/common';
import { type RunFile, RunFiles } from '../../functions/ctx/run-files.api.js';
import type { RunRequest } from '../../functions/run/run-request.api.js';
import { DeliveredFiles } from '../../functions/run/storage/delivered-files.api.js';
import { StartedMailFiles } from './started-mail-files.js';

/** The files that came with a run, from any kind of trigger. */
@Injectable()
export class StartedFiles extends RunFiles {
  constructor(
    private readonly mails: StartedMailFiles,
    private readonly deliveries: DeliveredFiles,
  ) {
    super();
  }

  override async open(request: RunRequest, fileId: string): Promise<RunFile | undefined> {
    switch (request.starter.kind) {
      case 'mailhook':
        return this.mails.open(request, fileId);
      case 'webhook':
        return this.deliveries.open(request, fileId);
      case 'member':
      case 'agent':
      case 'automation':
      case 'flow':
      case 'function':
      case 'schedule':
      case 'event':
      case 'user':
      case 'visitor':
        return undefined;
    }
  }
}
