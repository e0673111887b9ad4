/**
 * Runs up to `most` calls at once, but yields the results in the order of the items. Items are read only when they are
 * needed.
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  most: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const going: Promise<Result>[] = [];
  for await (const item of items) {
    const result = work(item);
    // Prevents an unhandled rejection. The error is thrown later, when this result is yielded.
    result.catch(() => {});
    going.push(result);
    if (going.length < most) continue;
    const first = going.shift();
    if (first !== undefined) yield await first;
  }
  for (const result of going) yield await result;
}
