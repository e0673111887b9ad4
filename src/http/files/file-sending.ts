import type { ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { FileBytes } from '../../areas/sites/file/file-bytes.api.js';
import type { SiteFile } from '../../areas/sites/file/site-file.record.js';
import { partBytes } from '../../areas/sites/file/site-file.record.js';
import type { ByteRange } from '../../areas/sites/publication/served-deployments.api.js';
import { reasonOf } from '../../kernel/reason.js';
import { Clock } from '../../ports/clock.port.js';
import type { SlotShares } from '../entrance/nested-slots.js';
import { FileTransfers, responseEnd, type Transfer } from './file-transfers.js';

const pieceBytes = 64 * 1024;
/**
 * Time, in milliseconds, for which a part of the file stays in memory while the client does not read. After that, the
 * part is dropped, and read from the store again when the client goes on.
 */
const partWaitsMs = 1_000;

@Injectable()
export class FileSending {
  private readonly log = new Logger('Files');

  constructor(
    private readonly bytes: FileBytes,
    private readonly transfers: FileTransfers,
    private readonly clock: Clock,
  ) {}

  /**
   * Sends only the bytes in `range`, if given. A failure before the response has begun is thrown; a later failure
   * aborts the connection.
   */
  async send(
    file: SiteFile,
    shares: SlotShares,
    reply: FastifyReply,
    headers: Record<string, string>,
    range?: ByteRange,
  ): Promise<void> {
    const { raw } = reply;
    const { from, to } = range ?? { from: 0, to: file.size - 1 };
    const begin = () => {
      if (raw.headersSent) return;
      reply.hijack();
      raw.on('error', () => undefined);
      raw.writeHead(range === undefined ? 200 : 206, { ...(reply.getHeaders() as Record<string, string>), ...headers });
    };
    try {
      await this.transfers.during(
        'download',
        shares,
        () => raw.destroy(),
        async (transfer) => {
          for (let next = from; next <= to; ) {
            next = await this.sendSome(file, { from: next, to }, raw, transfer, begin);
            await drained(raw);
          }
          begin();
          raw.end();
          await responseEnd(raw);
        },
      );
    } catch (error) {
      if (!raw.headersSent) throw error;
      raw.destroy();
      this.log.debug(`A file was not sent completely: ${reasonOf(error)}`);
    }
  }

  private async sendSome(
    file: SiteFile,
    { from, to }: ByteRange,
    raw: ServerResponse,
    { room, pace }: Transfer,
    begin: () => void,
  ) {
    const leave = await room();
    try {
      const part = await this.bytes.part(file, Math.floor(from / partBytes));
      begin();
      let next = from;
      const end = Math.min(part.length, (from % partBytes) + to + 1 - from);
      for (let at = from % partBytes; at < end; at += pieceBytes) {
        if (raw.destroyed) throw connectionEnded();
        // A copy, because unsent data in the connection would otherwise hold the whole part in memory.
        const piece = Buffer.from(part.subarray(at, Math.min(at + pieceBytes, end)));
        const isTaken = raw.write(piece, (error) => error ?? pace.moved(piece.length));
        next += piece.length;
        if (!isTaken && !(await this.drainsSoon(raw))) break;
      }
      return next;
    } finally {
      leave();
    }
  }

  private drainsSoon(raw: ServerResponse): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(partWaitsMs, () => resolve(false));
      drained(raw)
        .then(
          () => resolve(true),
          () => resolve(false),
        )
        .finally(cancel);
    });
  }
}

async function drained(raw: ServerResponse): Promise<void> {
  if (raw.destroyed) throw connectionEnded();
  if (!raw.writableNeedDrain) return;
  await new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => () => {
      raw.off('drain', onDrain).off('close', onClose);
      settle();
    };
    const onDrain = end(resolve);
    const onClose = end(() => reject(connectionEnded()));
    raw.on('drain', onDrain).on('close', onClose);
  });
}

const connectionEnded = () => new Error('The connection was closed.');
