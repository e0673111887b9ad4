const lf = 10;
const cr = 13;

/**
 * Finds CR or LF that stand alone in what comes in pieces. Servers that take such a line end for the end of a mail read
 * other mails out of its text (SMTP smuggling), so here none is taken that holds one.
 */
export class LineEndCheck {
  private broken = false;
  private last = 0;

  /** False from the piece on that breaks it. */
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

  /** Whether all that came is sound. */
  end(): boolean {
    return !this.broken && this.last !== cr;
  }
}
