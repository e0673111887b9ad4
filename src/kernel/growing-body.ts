const firstRoom = 16 * 1024;

/**
 * Collects a body in one buffer that grows. A list of chunks would use many times the memory if a client sends single
 * bytes.
 */
export class GrowingBody {
  private bytes: Buffer = Buffer.alloc(0);
  private length = 0;

  constructor(
    private readonly limit: number,
    private readonly declared?: number | undefined,
  ) {}

  get room(): number {
    return this.bytes.length;
  }

  exceeds(piece: Buffer): boolean {
    return this.length + piece.length > this.limit;
  }

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
