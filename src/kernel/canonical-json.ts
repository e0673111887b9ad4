/**
 * The one JSON text of a value: the JSON Canonicalization Scheme (RFC 8785). No spaces, members sorted by the UTF-16 units
 * of their names, numbers and strings as ECMAScript writes them. Unpaired surrogates, which the RFC forbids, are written
 * as escapes (\ud800), so that every recorded value has a text.
 *
 * The value has to come from JSON. Members that are undefined are left out, as JSON does.
 * @throws RangeError for what nests deeper than the stack
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const sorted = inOrder(value);
  return sorted === undefined ? written(value) : JSON.stringify(sorted);
}

/**
 * The same value with the members of every object in order: then one call of JSON.stringify writes all of it, which is
 * several times as fast as writing member by member. A value that is in order already is returned as it is. Undefined:
 * JavaScript cannot keep this order, because it puts names that are numbers first.
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
  const isSorted = hasNamesInOrder(members);
  const names = isSorted ? Object.keys(members) : Object.keys(members).sort();
  let made: Record<string, unknown> | undefined = isSorted ? undefined : {};
  for (let at = 0; at < names.length; at++) {
    const name = names[at] ?? '';
    const member = members[name];
    const sorted = typeof member === 'object' && member !== null ? inOrder(member) : member;
    if (sorted === undefined && member !== undefined) return undefined;
    if (made === undefined) {
      if (sorted === member) continue;
      made = {};
      for (const before of names.slice(0, at)) {
        if (isSpecial(before)) return undefined;
        made[before] = members[before];
      }
    }
    if (isSpecial(name)) return undefined;
    made[name] = sorted;
  }
  return made ?? members;
}

function hasNamesInOrder(members: Members): boolean {
  let before = '';
  for (const name in members) {
    if (name < before) return false;
    before = name;
  }
  return true;
}

const [zero, nine] = ['0'.charCodeAt(0), '9'.charCodeAt(0)];

/** A name that an object keeps elsewhere than where it was added, or not at all. */
function isSpecial(name: string): boolean {
  const first = name.charCodeAt(0);
  return (first >= zero && first <= nine) || name === '__proto__';
}

/** Member by member. */
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
