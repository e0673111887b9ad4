import type { Readable } from 'node:stream';
import { LineEndCheck } from './line-end-check.js';
import { bareLineEnds, tooLarge, tooMuchInHand } from './smtp-refusal.js';

/** Number of mails of the largest size that may be in memory at once. */
const largestAtOnce = 8;

/** Reads mails into memory, each up to its own limit and all together up to a memory limit. */
export class MailIntake {
  private buffered = 0;

  constructor(private readonly maxBytes: number) {}

  /**
   * Reads a mail to its end. The caller must call `done` when finished with it. A refused mail is read to its end and
   * discarded, because the client accepts a response only then. If it continues for as long again, the connection is
   * abandoned. @throws SmtpRefusal
   */
  async read(stream: Readable, leave: () => void): Promise<{ readonly raw: Buffer; readonly done: () => void }> {
    const pieces: Buffer[] = [];
    const lineEnds = new LineEndCheck();
    let size = 0;
    let ownBytes = 0;
    let full = false;
    const release = () => {
      this.buffered -= ownBytes;
      ownBytes = 0;
      pieces.length = 0;
    };
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        size += piece.length;
        lineEnds.push(piece);
        if (size > 2 * this.maxBytes) leave();
        full ||= this.buffered + piece.length > this.maxBytes * largestAtOnce;
        if (full || size > this.maxBytes) release();
        else {
          pieces.push(piece);
          ownBytes += piece.length;
          this.buffered += piece.length;
        }
      }
      if (size > this.maxBytes) throw tooLarge(this.maxBytes);
      if (!lineEnds.end()) throw bareLineEnds();
      if (full) throw tooMuchInHand();
    } catch (error) {
      release();
      throw error;
    }
    return { raw: Buffer.concat(pieces, size), done: release };
  }
}
