import type { Readable } from 'node:stream';
import { GrowingBody } from '../kernel/growing-body.js';
import { LineEndCheck } from './line-end-check.js';
import { bareLineEnds, tooLarge, tooMuchInHand } from './smtp-refusal.js';

/** Memory limit for all mails together, as a multiple of the maximum size of one mail. */
const largestAtOnce = 8;

export class MailIntake {
  private buffered = 0;

  constructor(private readonly maxBytes: number) {}

  /**
   * The caller must call `done` when it no longer needs the mail. The rest of a mail that is too large, or for which
   * there is no memory, is read and discarded, because clients accept a response only at the end. If a mail reaches
   * twice the size limit, `leave` is called, which ends the connection.
   * @throws SmtpRefusal
   */
  async read(stream: Readable, leave: () => void): Promise<{ readonly raw: Buffer; readonly done: () => void }> {
    let mail = new GrowingBody(this.maxBytes);
    const lineEnds = new LineEndCheck();
    let size = 0;
    let full = false;
    const release = () => {
      this.buffered -= mail.room;
      mail = new GrowingBody(this.maxBytes);
    };
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        size += piece.length;
        lineEnds.push(piece);
        if (size > 2 * this.maxBytes) leave();
        const more = mail.roomWith(piece) - mail.room;
        full ||= this.buffered + more > this.maxBytes * largestAtOnce;
        if (full || size > this.maxBytes) release();
        else {
          mail.add(piece);
          this.buffered += more;
        }
      }
      if (size > this.maxBytes) throw tooLarge(this.maxBytes);
      if (!lineEnds.end()) throw bareLineEnds();
      if (full) throw tooMuchInHand();
    } catch (error) {
      release();
      throw error;
    }
    return { raw: mail.whole(), done: release };
  }
}
