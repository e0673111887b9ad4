// Loaded before a service: its clock is so many milliseconds ahead of the machine's.
const byMs = Number(process.env.CLOCK_AHEAD_MS ?? 0);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + byMs);
    else super(...given);
  }

  static now() {
    return RealDate.now() + byMs;
  }
};
