/** EventStoreDB counts the bytes of its log in 64 bits; a number is exact up to nine petabytes. */
export function commitPosition(text: string): number {
  const position = Number(text);
  if (!Number.isSafeInteger(position)) {
    throw new Error(
      `Position ${text} of the event log is beyond 2^53 - 1, the largest position that this service supports.`,
    );
  }
  return position;
}
