import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublicFiles } from '../../areas/sites/file/public-files.api.js';
import type { SiteFile } from '../../areas/sites/file/site-file.record.js';
import { attached } from '../files/attached-file.js';
import { FileSending } from '../files/file-sending.js';
import { requestedBytes } from '../files/requested-bytes.js';

@Injectable()
export class PublicFileAnswers {
  constructor(
    private readonly files: PublicFiles,
    private readonly sending: FileSending,
  ) {}

  /**
   * Returns false without a response if there is no such file.
   * @param path path after `/files/`, as sent and without the query
   * @param address the client's network address, for limits of transfers
   * @throws Refusal file-transfers-taken
   */
  async send(
    { workspaceId, id: projectId }: { readonly workspaceId: string; readonly id: string },
    { path, address }: { readonly path: string; readonly address: string },
    request: Pick<FastifyRequest, 'method' | 'headers'>,
    reply: FastifyReply,
  ): Promise<boolean> {
    const name = decoded(path);
    const file = name === undefined ? undefined : await this.files.find(workspaceId, projectId, name);
    if (file === undefined) return false;
    const { size } = file;
    // The id changes with the content, because each upload has its own id.
    const etag = `"${file.id}"`;
    reply.headers({ ETag: etag, 'Accept-Ranges': 'bytes', 'X-Content-Type-Options': 'nosniff' });
    reply.header('Cache-Control', 'public, no-cache');
    const requested = requestedBytes(request, { etag, size });
    if (requested.status === 304) {
      reply.code(304).send();
    } else if (requested.status === 416) {
      reply.code(416).header('Content-Range', `bytes */${size}`).type('text/plain').send('');
    } else if (request.method === 'HEAD') {
      reply.headers({ ...typeOf(file), 'Content-Length': String(size) }).send();
    } else {
      const range = requested.status === 206 ? requested.range : undefined;
      const { from, to } = range ?? { from: 0, to: size - 1 };
      const length = { 'Content-Length': String(to - from + 1) };
      const partial = range === undefined ? {} : { 'Content-Range': `bytes ${from}-${to}/${size}` };
      const headers = { ...typeOf(file), ...length, ...partial };
      const whole = await this.files.wholeOf(file);
      if (whole === undefined) await this.sending.send(file, [workspaceId, projectId, address], reply, headers, range);
      else {
        const bytes = whole.subarray(from, to + 1);
        reply.code(range === undefined ? 200 : 206).headers(headers);
        reply.send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      }
    }
    return true;
  }
}

const typeOf = ({ contentType, name }: SiteFile): Record<string, string> => ({
  'Content-Type': contentType,
  ...(isShownInPlace(contentType) ? {} : attached(name)),
});

function decoded(path: string): string | undefined {
  if (/%2f|%5c/i.test(path)) return undefined;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}

const inPlace = /^(?:image|font|audio|video)\/|^application\/(?:pdf|font-[\w-]+|vnd\.ms-fontobject)$|^text\/plain$/;
const markup = /[+/](?:xml|html|xhtml)$/;

/**
 * Types in which scripts can run, including SVG, are not displayed, because the scripts would have the rights of the
 * site's origin.
 */
function isShownInPlace(contentType: string): boolean {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  return inPlace.test(type.trim()) && !markup.test(type.trim());
}
