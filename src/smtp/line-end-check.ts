const lf = 10;
const cr = 13;

/**
 * Detects a CR or LF that is not part of a CR LF. Some servers treat such a character as part of the end of a mail, so
 * the text of one mail could contain further mails (SMTP smuggling).
 */
export class LineEndCheck {
  private broken = false;
  private last = 0;

  push(piece: Uint8Array): boolean {
    if (this.broken || piece.length === 0) return !this.broken;
    if (this.last === cr && piece[0] !== lf) this.broken = true;
    for (let at = piece.indexOf(lf); at !== -1 && !this.broken; at = piece.indexOf(lf, at + 1)) {
      if ((at === 0 ? this.last : piece[at - 1]) !== cr) this.broken = true;
    }
    for (let at = piece.indexOf(cr); at !== -1 && !this.broken; at = piece.indexOf(cr, at + 1)) {
      if (at + 1 < piece.length && piece[at + 1] !== lf) this.broken = true;
    }
    this.last = piece[piece.length - 1] ?? 0;
    return !this.broken;
  }

  /** Must be called after the last chunk. Returns false if any chunk was wrong. */
  end(): boolean {
    return !this.broken && this.last !== cr;
  }
}
