/** Returns the message of anything thrown, for a log line. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown reason');
