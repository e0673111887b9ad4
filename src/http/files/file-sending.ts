import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { FileBytes } from '../../areas/sites/file/file-bytes.api.js';
import type { SiteFile } from '../../areas/sites/file/site-file.record.js';
import { partBytes } from '../../areas/sites/file/site-file.record.js';
import type { ByteRange } from '../../areas/sites/publication/served-deployments.api.js';
import { reasonOf } from '../../kernel/reason.js';
import { Clock } from '../../ports/clock.port.js';
import type { Shares } from '../entrance/nested-slots.js';
import { FileTransfers, type Transfer } from './file-transfers.js';

/** What is handed to the connection at a time, in bytes. */
const pieceBytes = 64 * 1024;
/** A part waits so long for its client; then it is given up, and read again when the client takes more. */
const partWaitsMs = 1_000;

/** Sends files to whoever takes them at their own speed; only those that take something hold parts of files. */
@Injectable()
export class FileSending {
  private readonly log = new Logger('Files');

  constructor(
    private readonly bytes: FileBytes,
    private readonly transfers: FileTransfers,
    private readonly clock: Clock,
  ) {}

  /**
   * `range`: only these bytes of the file, with status 206. A failure before the first part is answered as usual; a later
   * one breaks the connection.
   */
  async send(
    file: SiteFile,
    shares: Shares,
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
          if (!raw.writableFinished) await once(raw, 'close');
        },
      );
    } catch (error) {
      if (!raw.headersSent) throw error;
      raw.destroy();
      this.log.debug(`A file was not sent to its end: ${reasonOf(error)}`);
    }
  }

  /** Of one part, as much as the client takes without a long pause. Answers which byte comes next. */
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
        // A copy: what waits in the connection must not keep the whole part.
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

/** @throws Error when the connection ended */
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

const connectionEnded = () => new Error('The connection ended.');
