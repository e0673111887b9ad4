// Counts words that make comments and identifiers hard to read. .ci/words.json holds the maximum for each, which may
// only fall. `node .ci/words.ts --lower` lowers it to the present number.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Counts = Readonly<Record<string, number>>;

const root = join(import.meta.dirname, '..');
const limits = join(root, '.ci/words.json');

/** Plainer words for these: who, anyone, stored, reported, is, slot, states. */
const inComments = /\b(nobody|whoever|whatever|kept|keeps|told|tells|stands?|says?|said|places?|meanwhile)\b/gi;
/** More specific names for these: input, stored, notified, position, targetKind. */
const asIdentifiers = /\b(wanted|held|kept|standing|places|told|lane)\b/g;

/** A line that is a comment, or a comment after code. */
const comment = /^\s*(?:\/\/|\/\*\*?|\*)(.*)$|\s\/\/ (.*)$/;

function counted(): Counts {
  const counts: Record<string, number> = {};
  const count = (text: string, words: RegExp, prefix: string) => {
    for (const [word] of text.matchAll(words)) {
      const key = `${prefix} ${word.toLowerCase()}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
  };
  for (const file of globSync('{src,projections}/**/*.ts', { cwd: root })) {
    for (const line of readFileSync(join(root, file), 'utf8').split('\n')) {
      const [whole, alone, after] = comment.exec(line) ?? [];
      count(alone ?? after ?? '', inComments, 'comment:');
      const code = whole === undefined ? line : line.slice(0, line.length - whole.length);
      if (!file.endsWith('.spec.ts')) count(code.replace(/'[^']*'|`[^`]*`/g, ''), asIdentifiers, 'identifier:');
    }
  }
  return counts;
}

const most: Counts = JSON.parse(readFileSync(limits, 'utf8'));
const now = counted();
const risen = Object.entries(now).filter(([word, count]) => count > (most[word] ?? 0));
if (process.argv.includes('--lower')) {
  const lowered = Object.entries(now).map(([word, count]) => [word, Math.min(count, most[word] ?? count)]);
  writeFileSync(limits, `${JSON.stringify(Object.fromEntries(lowered.toSorted()), null, 2)}\n`);
} else if (risen.length > 0) {
  for (const [word, count] of risen) process.stderr.write(`${word}: ${count}, at most ${most[word] ?? 0}\n`);
  process.stderr.write('Use a plainer word: .ci/words.ts names some.\n');
  process.exitCode = 1;
}
