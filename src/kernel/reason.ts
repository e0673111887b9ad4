/** Returns the message of an error for a log line, or `unknown reason` for anything else that was thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown reason');
