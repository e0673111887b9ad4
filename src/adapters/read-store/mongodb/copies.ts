import { canonicalJson } from '../../../kernel/json/canonical-json.js';
import { folded } from '../../../kernel/text/folded.js';
import { escaped, isKey } from './keys.js';

type OfFields<Value> = Readonly<Record<string, Readonly<Record<string, Value>>>>;

export interface Copies {
  readonly folded: OfFields<string>;
  readonly canonical: OfFields<string>;
  /** Items that are not texts are stored as empty objects, which equal no text. */
  readonly lists: OfFields<readonly (string | object)[]>;
}

export function copiesOf(document: Readonly<Record<string, unknown>>, members: readonly string[]): Copies {
  return {
    folded: copied(document, members, (value) => (typeof value === 'string' ? folded(value) : undefined)),
    canonical: copied(document, members, (value) => (isObject(value) ? canonicalJson(value) : undefined)),
    lists: copied(document, members, (value) => (Array.isArray(value) ? value.map(textOf) : undefined)),
  };
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const textOf = (value: unknown) => (typeof value === 'string' ? value : {});

function copied<Value>(
  document: Readonly<Record<string, unknown>>,
  members: readonly string[],
  copy: (value: unknown) => Value | undefined,
): OfFields<Value> {
  const ofMember = (member: string) => {
    const fields = document[member];
    if (!isObject(fields)) return {};
    const all = Object.entries(fields).flatMap(([name, value]) => {
      const made = isKey(name) ? copy(value) : undefined;
      return made === undefined ? [] : [[escaped(name), made] as const];
    });
    return Object.fromEntries(all);
  };
  return Object.fromEntries(members.map((member) => [escaped(member), ofMember(member)]));
}
