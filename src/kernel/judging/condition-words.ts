import type { Policies } from '../condition/condition.js';
import { readStored } from '../condition/read-condition.js';
import type { Part } from '../condition/reading.js';
import { ruleClaim } from './explain.js';

const longest = 500;

/**
 * Returns words such as: a user is signed in or the policy "Staff" grants access. Policies are named, not expanded, and
 * long results are cut.
 */
export function conditionWords(condition: unknown, policies: Policies): string {
  const reading = readStored(condition);
  if (!reading.ok) return 'it cannot be read';
  if (reading.root === undefined) return 'only members with edit rights';
  const words = wordsOf(reading.root, policies, longest, false);
  return words.length > longest ? `${words.slice(0, longest)}…` : words;
}

function wordsOf(part: Part, policies: Policies, room: number, isInside: boolean): string {
  switch (part.kind) {
    case 'rule':
      return ruleClaim(part.rule);
    case 'policy': {
      const name = policies(part.id)?.name;
      return name === undefined ? 'a deleted policy grants access' : `the policy ${JSON.stringify(name)} grants access`;
    }
    case 'not':
      return `not (${wordsOf(part.part, policies, room, false)})`;
    case 'all':
    case 'any':
    case 'list': {
      const phrases: string[] = [];
      let left = room;
      for (const one of part.parts) {
        if (left <= 0) break;
        const words = wordsOf(one, policies, left, part.parts.length > 1);
        phrases.push(words);
        left -= words.length;
      }
      const joined = phrases.join(part.kind === 'all' ? ' and ' : ' or ');
      return isInside && phrases.length > 1 ? `(${joined})` : joined;
    }
  }
}
