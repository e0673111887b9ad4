import { isDeepStrictEqual } from 'node:util';
import { membersBehind } from '../../../kernel/actors/members-behind.js';
import { isPersons } from '../../../kernel/callers/caller.js';
import { type Taking, type Undo, undoOf } from '../../../kernel/record/undo.js';
import { grantsWithin } from './function.js';
import { type FunctionDefinition, type FunctionDocument, type Grants, hasFullDataAccess } from './function.record.js';
import { changesGate, type FunctionChange, type Saving } from './save-input.js';

export type AtOnce = Pick<Saving, 'by' | 'taking' | 'fourEyes' | 'led' | 'codeCards'>;

/**
 * Returns the Undo of a change that needs no approval although the function has Full data access (Sites API,
 * updateBackendFunction; settled question Q-S120). Such a change only removes something, such as access, or is new code
 * that a person saves while the permission `keepFixing` is valid. Returns undefined for other changes, and for a change
 * that can affect the access rules of another function with Full data access.
 */
export function undoAtOnce(fn: FunctionDocument, change: FunctionChange, around: AtOnce): Undo | undefined {
  const { taking } = around;
  if (!hasFullDataAccess(fn) || taking === undefined || decidesForOthers(change, around)) return undefined;
  const { summary: _, ...details } = change.details ?? {};
  const parts: readonly (string | undefined)[] = [
    ...Object.entries(details).map(([key, to]) =>
      key === 'exposed' && to === false ? 'is no longer exposed' : undefined,
    ),
    ...Object.entries(change.definition ?? {}).map(([key, to]) => partAtOnce(fn, key, to, around)),
    ...(change.isActive === undefined ? [] : [change.isActive ? undefined : 'was switched off']),
  ];
  const sentences = parts.filter((part) => part !== undefined);
  if (sentences.length === 0 || sentences.length < parts.length) return undefined;
  return undoOf(fn, `The function '${fn.name}' ${sentences.join(', ')}.`, taking);
}

export const decidesForOthers = (change: FunctionChange, { led }: Pick<Saving, 'led'>): boolean =>
  led?.guard === 'card' && changesGate(change);

function partAtOnce(fn: FunctionDocument, key: string, to: unknown, around: AtOnce & { taking?: Taking }) {
  switch (key as keyof FunctionDefinition) {
    case 'grants':
      return isLess(to as Grants, fn.grants) ? 'lost some of its access' : undefined;
    case 'toolSpec':
      return to === null ? 'is no longer a tool' : undefined;
    case 'code':
      return mayFix(fn, around) ? 'has new code' : undefined;
    case 'accessRules':
    case 'timeout':
    case 'maxRetries':
    case 'definition':
      return undefined;
  }
}

const isLess = (next: Grants, present: Grants) =>
  grantsWithin(next, present) && next.serviceTools.every((tool) => present.serviceTools.includes(tool));

/**
 * If the workspace requires a second person (`fourEyes`), the people who gave the permission (`keepFixing`) may not use
 * it.
 */
function mayFix({ keepFixing }: FunctionDocument, { by, taking, fourEyes = false }: AtOnce): boolean {
  if (!isPersons(by.kind) || keepFixing === undefined || taking === undefined) return false;
  if (Date.parse(keepFixing.until) <= taking.now) return false;
  return !fourEyes || !membersBehind(by).some((member) => keepFixing.members.includes(member));
}

export function changeByDraft(fn: FunctionDocument, draft: FunctionDefinition): FunctionChange {
  const changed = Object.entries(draft).filter(
    ([key, to]) => !isDeepStrictEqual(fn[key as keyof FunctionDefinition], to),
  );
  return { definition: Object.fromEntries(changed) };
}
