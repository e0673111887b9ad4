import { isDeepStrictEqual } from 'node:util';
import { membersBehind } from '../../../kernel/actors/members-behind.js';
import { isPersons } from '../../../kernel/callers/caller.js';
import { type Taking, type Undo, undoOf } from '../../../kernel/record/undo.js';
import { changesGate, type FunctionChange, type Saving } from './asked-save.js';
import { within } from './function.js';
import { type AccountFunction, type FunctionDefinition, type Grants, hasFullDataAccess } from './function.record.js';

/** The circumstances of a change on which it depends whether it needs a card. */
export type AtOnce = Pick<Saving, 'by' | 'taking' | 'fourEyes' | 'led' | 'codeCards'>;

/**
 * The Undo of a change that needs no card in spite of Full data access: it only takes away, or brings new code while a
 * person lets the code be fixed (Sites API, updateBackendFunction; settled question Q-S120). Undefined for every other
 * change, for one that only changes the summary, and for one of a gate that decides about another such function.
 */
export function undoAtOnce(fn: AccountFunction, change: FunctionChange, around: AtOnce): Undo | undefined {
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
  const told = parts.filter((part) => part !== undefined);
  if (told.length === 0 || told.length < parts.length) return undefined;
  return undoOf(fn, `The function '${fn.name}' ${told.join(', ')}.`, taking);
}

/** Whether the change is one of a gate that decides who may execute a function with Full data access. */
export const decidesForOthers = (change: FunctionChange, { led }: Pick<Saving, 'led'>): boolean =>
  led?.guard === 'card' && changesGate(change);

/** What a part of a version that changes at once is told as; undefined when it needs a card. */
function partAtOnce(fn: AccountFunction, key: string, to: unknown, around: AtOnce & { taking?: Taking }) {
  switch (key as keyof FunctionDefinition) {
    case 'grants':
      return isLess(to as Grants, fn.grants) ? 'lost connections' : undefined;
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

const isLess = (wanted: Grants, held: Grants) =>
  within(wanted, held) && wanted.serviceTools.every((tool) => held.serviceTools.includes(tool));

/** A person let a person fix it, themselves or through a client of theirs. With four eyes those are two persons. */
function mayFix({ keepFixing }: AccountFunction, { by, taking, fourEyes = false }: AtOnce): boolean {
  if (!isPersons(by.kind) || keepFixing === undefined || taking === undefined) return false;
  if (Date.parse(keepFixing.until) <= taking.now) return false;
  return !fourEyes || !membersBehind(by).some((member) => keepFixing.members.includes(member));
}

/** What a draft would change of the live version. */
export function changeByDraft(fn: AccountFunction, draft: FunctionDefinition): FunctionChange {
  const changed = Object.entries(draft).filter(
    ([key, to]) => !isDeepStrictEqual(fn[key as keyof FunctionDefinition], to),
  );
  return { definition: Object.fromEntries(changed) };
}
