import { type Undo, undoOf } from '../../../../kernel/record/undo.js';
import type { FunctionChange, Saving } from '../asked-save.js';
import { type AccountFunction, hasFullDataAccess, type Power } from '../function.record.js';

/** The circumstances on which it depends what new code comes to. */
export type Publishing = Pick<Saving, 'codeCards' | 'taking'>;

export const bringsCode = ({ definition = {} }: FunctionChange): boolean =>
  definition.code !== undefined || definition.definition !== undefined;

/** Whether the workspace lets new code of this function wait for a person. With Full data access it always does. */
export function codeWaits(fn: AccountFunction, { codeCards = 'full-data-access' }: Publishing): boolean {
  switch (codeCards) {
    case 'full-data-access':
      return hasFullDataAccess(fn);
    case 'powers':
      return hasFullDataAccess(fn) || holdsAnything(fn);
    case 'all':
      return true;
  }
}

/** The Undo of new code that goes live at once in a function that holds powers or secrets; undefined for any other. */
export function noticeOfCode(fn: AccountFunction, what: string, { taking }: Publishing): { readonly undo?: Undo } {
  if (taking === undefined || !holdsAnything(fn)) return {};
  return { undo: undoOf(fn, `The function '${fn.name}', which ${holdingWords(fn)}, ${what}.`, taking) };
}

const holdsAnything = ({ capabilities, secrets }: AccountFunction) => capabilities.length + secrets.length > 0;

/** Words that follow a function's name: `holds the power 'email' and KEY`; undefined where it holds nothing. */
export function holdingWords({ capabilities, secrets }: AccountFunction): string | undefined {
  const held = [...(capabilities.length === 0 ? [] : [powerWords(capabilities)]), ...secrets.map(({ name }) => name)];
  return held.length === 0 ? undefined : `holds ${held.join(' and ')}`;
}

export const powerWords = (some: readonly Power[]): string =>
  some.map((power) => (power === 'service' ? 'Full data access' : `the power '${power}'`)).join(' and ');
