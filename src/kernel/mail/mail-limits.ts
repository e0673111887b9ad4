/** What a mail may be made of to be parsed. Bytes, unless they say otherwise; ordinary mail stays far below each. */
export const mailLimits = {
  /** The headers of the mail, or of one of its parts, all together. */
  headers: 256 * 1024,
  headerCount: 1_000,
  /** One header with its folded lines. */
  header: 64 * 1024,
  parts: 250,
  /** Parts within parts. */
  depth: 20,
} as const;
