type Shares = ReadonlyMap<string, readonly number[]>;

/**
 * Assigns partitions evenly and moves as few of them as possible. If two members claim the same partition, the one with
 * more claims has priority or, if they have equally many, the one whose name comes first.
 */
export function stickyShares(partitions: readonly number[], claims: Shares): Shares {
  const least = Math.floor(partitions.length / claims.size);
  let extra = partitions.length % claims.size;
  const free = new Set(partitions);
  const shares = new Map<string, number[]>();
  const byClaims = [...claims].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  for (const [member, claimed] of byClaims) {
    const own = [...new Set(claimed)].filter((partition) => free.has(partition));
    const most = extra > 0 && own.length > least ? least + 1 : least;
    if (most > least) extra -= 1;
    const retained = own.slice(0, most);
    for (const partition of retained) free.delete(partition);
    shares.set(member, retained);
  }
  for (const partition of free) {
    const [poorest] = [...shares].sort(([a, x], [b, y]) => x.length - y.length || (a < b ? -1 : 1));
    poorest?.[1].push(partition);
  }
  return shares;
}
