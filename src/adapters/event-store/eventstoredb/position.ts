/** A position is a 64-bit byte offset in EventStoreDB's log. A JavaScript number is exact up to nine petabytes. */
export function commitPosition(text: string): number {
  const position = Number(text);
  if (!Number.isSafeInteger(position)) {
    throw new Error(
      `Position ${text} of the event log is beyond 2^53 - 1, the largest position that this service supports.`,
    );
  }
  return position;
}
