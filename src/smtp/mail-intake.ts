import type { Readable } from 'node:stream';
import { LineEndCheck } from './line-end-check.js';
import { bareLineEnds, tooLarge, tooMuchInHand } from './smtp-refusal.js';

/** How many mails of the largest size may be in memory at once. */
const largestAtOnce = 8;

/** Reads the text of mails, each up to its own limit and all together up to a memory limit. */
export class MailIntake {
  private held = 0;

  constructor(private readonly maxBytes: number) {}

  /**
   * Resolves at the end of the mail. The caller must call `done` when finished with it. A refused mail is read to its
   * end without being kept, because its sender can be told only then; one that continues for as long again is
   * abandoned.
   * @throws SmtpRefusal
   */
  async read(stream: Readable, leave: () => void): Promise<{ readonly raw: Buffer; readonly done: () => void }> {
    const pieces: Buffer[] = [];
    const lineEnds = new LineEndCheck();
    let size = 0;
    let kept = 0;
    let full = false;
    const release = () => {
      this.held -= kept;
      kept = 0;
      pieces.length = 0;
    };
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        size += piece.length;
        lineEnds.push(piece);
        if (size > 2 * this.maxBytes) leave();
        full ||= this.held + piece.length > this.maxBytes * largestAtOnce;
        if (full || size > this.maxBytes) release();
        else {
          pieces.push(piece);
          kept += piece.length;
          this.held += piece.length;
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
