/** Limits for mails to be parsed, in bytes unless stated otherwise. Ordinary mail stays far below each. */
export const mailLimits = {
  /** Maximum size of all headers together, of the mail or of one of its parts. */
  headers: 256 * 1024,
  headerCount: 1_000,
  /** Maximum size of one header, including its folded lines. */
  header: 64 * 1024,
  parts: 250,
  /** Maximum nesting depth of parts. */
  depth: 20,
} as const;
