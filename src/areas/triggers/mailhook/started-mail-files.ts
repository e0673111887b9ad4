import { Injectable } from '@nestjs/common';
import { isJsonArray, isJsonObject, type JsonObject } from '../../../kernel/json/json.js';
import { Blobs } from '../../../ports/blobs.port.js';
import { MailParser } from '../../../ports/offloaded/mail-parser.port.js';
import type { RunFile } from '../../functions/ctx/run-files.api.js';
import type { RunRequest } from '../../functions/run/run-request.api.js';
import { rawMailName } from './inbound-email.record.js';
import { fileIdOf } from './mail-input.js';

@Injectable()
export class StartedMailFiles {
  constructor(
    private readonly blobs: Blobs,
    private readonly parser: MailParser,
  ) {}

  /**
   * Returns undefined if the mail is no longer stored. The params of a run that a mailhook started are written by the
   * service, so the file ids in them can be trusted.
   */
  async open({ workspaceId, starter, params }: RunRequest, fileId: string): Promise<RunFile | undefined> {
    if (starter.kind !== 'mailhook') return undefined;
    const files = isJsonArray(params['attachments']) ? params['attachments'].filter(isJsonObject) : [];
    const index = files.findIndex((file) => file['fileId'] === fileId);
    const file = files[index];
    const mailId = fileId.slice(0, fileId.lastIndexOf('.'));
    if (file === undefined || fileIdOf(mailId, index) !== fileId) return undefined;
    const raw = await this.blobs.open(rawMailName(workspaceId, starter.id, mailId));
    const bytes = raw && (await this.parser.attachment({ workspaceId, raw }, index));
    return bytes && { name: textOf(file, 'name'), contentType: textOf(file, 'contentType'), bytes };
  }
}

const textOf = (file: JsonObject, member: string): string => (typeof file[member] === 'string' ? file[member] : '');
