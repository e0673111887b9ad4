/** Where a buffer begins when nobody said how long the body will be, in bytes. */
const firstRoom = 16 * 1024;

/**
 * A body as it comes in, in one buffer that grows. A list of the pieces would cost many times the bytes they hold when
 * a client sends them one by one.
 */
export class GrowingBody {
  private bytes: Buffer = Buffer.alloc(0);
  private length = 0;

  constructor(
    /** The most it may become. */
    private readonly limit: number,
    /** The Content-Length, where there is one. */
    private readonly declared: number | undefined,
  ) {}

  /** The memory it has, which may be more than has come. */
  get room(): number {
    return this.bytes.length;
  }

  exceeds(piece: Buffer): boolean {
    return this.length + piece.length > this.limit;
  }

  /** The memory it will have when it has taken this piece. */
  roomWith(piece: Buffer): number {
    const needed = this.length + piece.length;
    if (needed <= this.room) return this.room;
    const most = Math.max(needed, this.declared ?? this.limit);
    return Math.min(most, Math.max(needed, this.room * 2, firstRoom));
  }

  add(piece: Buffer): void {
    const room = this.roomWith(piece);
    if (this.length === 0 && room === piece.length) {
      this.bytes = piece;
    } else {
      if (room > this.room) this.grow(room);
      piece.copy(this.bytes, this.length);
    }
    this.length += piece.length;
  }

  whole(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  private grow(room: number): void {
    const larger = Buffer.allocUnsafeSlow(room);
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
