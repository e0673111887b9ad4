import type { Readable } from 'node:stream';
import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileLinks } from '../../areas/sites/file/file-links.api.js';
import type { SiteFile } from '../../areas/sites/file/site-file.record.js';
import { Field } from '../../kernel/field/field.js';
import { Refusal } from '../../kernel/refusals/refusal.js';
import { endSlowRequest } from '../entrance/broken-requests.js';
import type { Pace } from '../entrance/pace.js';
import { refuse } from '../http.refusals.js';
import { Visits } from '../visitor/visitor-route.js';
import { UploadedFile } from '../visitor/visitor-shapes.js';
import { attached } from './attached-file.js';
import { FileDoor, UploadDoor } from './file-doors.js';
import { FileSending } from './file-sending.js';
import { FileTransfers } from './file-transfers.js';

class LinkToken {
  @Field({ type: 'string', description: 'The token in the link.' }) token!: string;
}

/**
 * These routes serve links for downloads and uploads. A link's URL must never be logged, because it gives access
 * without a key.
 */
@Controller('api/app/:projectId')
export class FilesController {
  constructor(
    private readonly downloads: FileDoor,
    private readonly uploads: UploadDoor,
    private readonly links: FileLinks,
    private readonly sending: FileSending,
    private readonly transfers: FileTransfers,
  ) {}

  @Visits(FileDoor, {
    method: 'GET',
    path: 'files/:id',
    id: 'downloadFile',
    tag: 'files',
    summary: 'Downloads a file through a link from ctx.files.',
    query: LinkToken,
    answers: 'bytes',
    refuses: ['file-link-not-found', 'file-rate'],
  })
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { file, shares } = this.downloads.admittedOf(request);
    await this.sending.send(file, shares, reply, headersOf(file));
  }

  @Visits(UploadDoor, {
    method: 'PUT',
    path: 'files/upload/:token',
    id: 'uploadFile',
    tag: 'files',
    summary: 'Uploads a file through a link from ctx.files or createFileUpload. Each link works once.',
    description: 'Content-Type and length must be those for which the link was created.',
    body: 'bytes',
    answers: { record: UploadedFile },
    status: 201,
    refuses: [
      'upload-link-not-found',
      'upload-link-used',
      'file-type-differs',
      'file-size-differs',
      'site-files-full',
      'public-files-full',
      'files-quota',
      'file-rate',
      'key-never-deletes',
    ],
  })
  async receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { token, expected, shares } = this.uploads.admittedOf(request);
    const { raw } = request;
    const tooSlow = () => endSlowRequest(raw.socket);
    const file = await this.transfers.during('upload', shares, tooSlow, async ({ room, pace }) => {
      const leave = await room();
      try {
        return await this.links.receive(token, expected, pieces(raw, pace));
      } finally {
        leave();
      }
    });
    const { id, name, contentType, size, createdAt } = file;
    reply
      .code(201)
      .header('Cache-Control', 'no-store')
      .type('application/json')
      .send(JSON.stringify({ id, name, contentType, size, createdAt }));
  }
}

/** The browser never displays the file, because its content must not run with the rights of this origin. */
function headersOf({ name, contentType, size }: SiteFile): Record<string, string> {
  return {
    'Content-Type': contentType,
    'Content-Length': String(size),
    ...attached(name),
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'private, no-store',
  };
}

/**
 * The caller may stop reading early and still respond.
 * @throws Refusal bad-request if the connection breaks
 */
async function* pieces(raw: Readable, pace: Pace): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of raw.iterator({ destroyOnReturn: false })) {
      pace.moved(piece.length);
      // The time for storing the chunk does not count as slowness of the client.
      pace.rest();
      yield piece;
      pace.goOn();
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    refuse('bad-request');
  }
}
