/** What an error says, for a log line; whatever was thrown. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown reason');
