import { type Undo, undoOf } from '../../../../kernel/record/undo.js';
import { type FunctionDocument, hasFullDataAccess, type Power } from '../function.record.js';
import type { FunctionChange, Saving } from '../save-input.js';

export type CodePublishing = Pick<Saving, 'codeCards' | 'taking'>;

export const bringsCode = ({ definition = {} }: FunctionChange): boolean =>
  definition.code !== undefined || definition.definition !== undefined;

export function codeWaits(fn: FunctionDocument, { codeCards = 'full-data-access' }: CodePublishing): boolean {
  switch (codeCards) {
    case 'full-data-access':
      return hasFullDataAccess(fn);
    case 'powers':
      return hasFullDataAccess(fn) || holdsAnything(fn);
    case 'all':
      return true;
  }
}

/** Members are offered an Undo if new code goes live at once in a function with powers or secrets. */
export function noticeOfCode(fn: FunctionDocument, what: string, { taking }: CodePublishing): { readonly undo?: Undo } {
  if (taking === undefined || !holdsAnything(fn)) return {};
  return { undo: undoOf(fn, `The function '${fn.name}', which ${holdingWords(fn)}, ${what}.`, taking) };
}

const holdsAnything = ({ capabilities, secrets }: FunctionDocument) => capabilities.length + secrets.length > 0;

/** Returns a phrase such as `holds the power 'email' and KEY`. */
export function holdingWords({ capabilities, secrets }: FunctionDocument): string | undefined {
  const names = [...(capabilities.length === 0 ? [] : [powerWords(capabilities)]), ...secrets.map(({ name }) => name)];
  return names.length === 0 ? undefined : `holds ${names.join(' and ')}`;
}

export const powerWords = (some: readonly Power[]): string =>
  some.map((power) => (power === 'service' ? 'Full data access' : `the power '${power}'`)).join(' and ');
