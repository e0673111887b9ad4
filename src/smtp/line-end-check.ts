const lf = 10;
const cr = 13;

/**
 * Finds a bare CR or LF in data that arrives in chunks. Servers that accept one as the end of a mail can be made to
 * read further mails out of its text (SMTP smuggling), so this server refuses every mail that contains one.
 */
export class LineEndCheck {
  private broken = false;
  private last = 0;

  /** Checks a chunk. Returns false from the first faulty one on. */
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

  /** Whether everything received is valid. */
  end(): boolean {
    return !this.broken && this.last !== cr;
  }
}
