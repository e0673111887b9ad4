import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { All, Controller, Logger, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FileBytes } from '../areas/sites/file/file-bytes.api.js';
import { FileLinks } from '../areas/sites/file/file-links.api.js';
import type { SiteFile } from '../areas/sites/file/site-file.record.js';
import { reasonOf } from '../kernel/reason.js';
import { Refusal, refuse } from '../kernel/refusal.js';
import { Through } from './entrance/door.js';
import { FileDoor, UploadDoor } from './file-doors.js';

/** Transfers that a process has in hand. Each holds about 2 MB. */
const most = { ofAWorkspace: 16, inAll: 64 };
/** A client that takes nothing for this long is considered gone. */
const patienceMs = 20_000;

/** Links of ctx.files. The addresses must never be logged: they work without a key. */
@Controller('api/app/:projectId/files')
export class FilesController {
  private readonly log = new Logger('Files');
  /** The workspace of each transfer in hand. */
  private readonly going = new Set<{ readonly workspaceId: string }>();

  constructor(
    private readonly downloads: FileDoor,
    private readonly uploads: UploadDoor,
    private readonly links: FileLinks,
    private readonly bytes: FileBytes,
  ) {}

  @All(':id')
  @Through(FileDoor)
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { file } = this.downloads.of(request);
    await this.counted(file.workspaceId, () => this.write(file, reply));
  }

  @All('upload/:token')
  @Through(UploadDoor)
  async receive(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { token, expected } = this.uploads.of(request);
    const file = await this.counted(expected.workspaceId, () =>
      this.links.receive(token, expected, pieces(request.raw)),
    );
    const { id, name, contentType, size, createdAt } = file;
    reply
      .code(201)
      .header('Cache-Control', 'no-store')
      .type('application/json')
      .send(JSON.stringify({ id, name, contentType, size, createdAt }));
  }

  private async counted<Answer>(workspaceId: string, work: () => Promise<Answer>): Promise<Answer> {
    const own = [...this.going].filter((other) => other.workspaceId === workspaceId).length;
    if (own >= most.ofAWorkspace || this.going.size >= most.inAll) {
      refuse('file-transfers-taken', undefined, { retryAfterSeconds: 2 });
    }
    const one = { workspaceId };
    this.going.add(one);
    try {
      return await work();
    } finally {
      this.going.delete(one);
    }
  }

  /** A failure before the first part is answered as usual; a later one breaks the connection. */
  private async write(file: SiteFile, reply: FastifyReply): Promise<void> {
    const parts = this.bytes.read(file);
    const first = await parts.next();
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...headersOf(file) });
    raw.setTimeout(patienceMs, () => raw.destroy());
    try {
      await pipeline(Readable.from(all(first, parts), { objectMode: true, highWaterMark: 1 }), raw);
    } catch (error) {
      raw.destroy();
      this.log.debug(`A file was not sent to its end: ${reasonOf(error)}`);
    }
  }
}

/**
 * Whatever the file is, a browser saves it and does not show it: it was written by somebody else, and must do nothing on
 * this origin.
 */
function headersOf({ name, contentType, size }: SiteFile): Record<string, string> {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const plain = last.replace(/[^\w !#$&+.^`|~()-]/g, '_');
  const encoded = encodeURIComponent(last.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    'Content-Type': contentType,
    'Content-Length': String(size),
    'Content-Disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'private, no-store',
  };
}

async function* all(first: IteratorResult<Uint8Array>, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** The body as it arrives. Reading may stop early; the request stays answerable then. */
async function* pieces(raw: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* raw.iterator({ destroyOnReturn: false });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    refuse('bad-request');
  }
}
