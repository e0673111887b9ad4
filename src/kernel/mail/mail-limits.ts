/** Limits for mails to be parsed. In bytes unless stated otherwise; ordinary mail stays far below each. */
export const mailLimits = {
  /** All headers of the mail, or of one of its parts, together. */
  headers: 256 * 1024,
  headerCount: 1_000,
  /** One header with its folded lines. */
  header: 64 * 1024,
  parts: 250,
  /** Nesting of parts. */
  depth: 20,
} as const;
