/**
 * What `work` makes of each item, in the order of the items, with up to `most` pieces of work going on at once. Items are
 * taken as they are needed.
 */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  most: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const going: Promise<Result>[] = [];
  for await (const item of items) {
    const result = work(item);
    // Thrown when its turn comes, and not at all where the reader has stopped before.
    result.catch(() => {});
    going.push(result);
    if (going.length < most) continue;
    for (const first of going.splice(0, 1)) yield await first;
  }
  for (const result of going) yield await result;
}
