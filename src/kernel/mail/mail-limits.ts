/** In bytes unless stated otherwise. Ordinary mail stays far below each limit. */
export const mailLimits = {
  /** Limits all headers together, of the mail or of one of its parts. */
  headers: 256 * 1024,
  headerCount: 1_000,
  /** Limits one header, including its folded lines. */
  header: 64 * 1024,
  parts: 250,
  depth: 20,
} as const;
