/**
 * JSON Canonicalization Scheme (RFC 8785). Unpaired surrogates, which the RFC forbids, are escaped (\ud800), so that
 * every recorded value has a text. The value must come from JSON. Undefined members are left out, as in JSON.
 * @throws RangeError for values that nest deeper than the stack allows
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const sorted = inOrder(value);
  return sorted === undefined ? written(value) : JSON.stringify(sorted);
}

/**
 * Returns the value with all members in canonical order. One call of JSON.stringify can then write it, several times as
 * fast as writing member by member. Returns undefined if the order is impossible, because JavaScript objects list
 * numeric names first.
 */
function inOrder(value: object): object | undefined {
  return Array.isArray(value) ? listInOrder(value) : membersInOrder(value as Members);
}

type Members = Readonly<Record<string, unknown>>;

function listInOrder(list: readonly unknown[]): readonly unknown[] | undefined {
  let made: unknown[] | undefined;
  for (let at = 0; at < list.length; at++) {
    const item = list[at];
    if (typeof item !== 'object' || item === null) continue;
    const sorted = inOrder(item);
    if (sorted === undefined) return undefined;
    if (sorted === item) continue;
    made ??= [...list];
    made[at] = sorted;
  }
  return made ?? list;
}

function membersInOrder(members: Members): Members | undefined {
  const { sorted: names, isSorted, isPlain } = orderOf(Object.keys(members));
  if (!isSorted && !isPlain) return undefined;
  let made: Record<string, unknown> | undefined = isSorted ? undefined : {};
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? '';
    const member = members[name];
    const sorted = typeof member === 'object' && member !== null ? inOrder(member) : member;
    if (sorted === undefined && member !== undefined) return undefined;
    if (made === undefined) {
      if (sorted === member) continue;
      if (!isPlain) return undefined;
      made = Object.fromEntries(names.slice(0, at).map((before) => [before, members[before]]));
    }
    made[name] = sorted;
  }
  return made ?? members;
}

interface Order {
  readonly names: readonly string[];
  readonly sorted: readonly string[];
  readonly isSorted: boolean;
  /** True if an object retains these names in the order in which they were added. */
  readonly isPlain: boolean;
}

/**
 * Cached orders, indexed by the number of names. Events have few combinations of names, and sorting is most of the
 * work.
 */
const remembered: { readonly orders: Order[]; next: number }[] = [];
const [mostOrders, mostNames, longestName] = [8, 40, 100];

function orderOf(names: readonly string[]): Order {
  const slot = names.length > mostNames ? undefined : remembered[names.length];
  const known = slot?.orders.find((order) => isSame(order.names, names));
  if (known !== undefined) return known;
  const sorted = [...names].sort();
  const order = { names, sorted, isSorted: isSame(names, sorted), isPlain: !names.some(isSpecial) };
  if (names.length <= mostNames && names.every(({ length }) => length <= longestName)) remember(order);
  return order;
}

function remember(order: Order): void {
  remembered[order.names.length] ??= { orders: [], next: 0 };
  const slot = remembered[order.names.length];
  if (slot === undefined) return;
  slot.orders[slot.next] = order;
  slot.next = (slot.next + 1) % mostOrders;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

const [zero, nine] = ['0'.charCodeAt(0), '9'.charCodeAt(0)];

/** True for the name of a member that JavaScript objects move to another position or do not store. */
function isSpecial(name: string): boolean {
  const first = name.charCodeAt(0);
  return (first >= zero && first <= nine) || name === '__proto__';
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = value as Members;
  let text = '';
  for (const name of Object.keys(members).sort()) {
    if (members[name] === undefined) continue;
    text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${written(members[name])}`;
  }
  return `{${text}}`;
}
