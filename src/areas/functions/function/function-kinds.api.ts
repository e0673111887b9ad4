import type { FunctionOwnerKind, Owned } from '../../../kernel/callers/function-owner.js';
import { ownerOf } from '../../../kernel/callers/function-owner.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { type AccountFunction, accountFunctions, type FunctionEvent, siteFunctions } from './function.record.js';

export type FunctionRecords = RecordAggregate<AccountFunction, FunctionEvent>;

export const functionKinds: { readonly [Kind in FunctionOwnerKind]: FunctionRecords } = {
  workspace: accountFunctions,
  project: siteFunctions,
};

/** The kind of record that a function of this owner is. */
export const functionsOf = (owned: Owned): FunctionRecords => functionKinds[ownerOf(owned).kind];

/** A site's functions are found through their own site only. @throws Refusal */
export function ofOwner(fn: AccountFunction, owned: Owned): AccountFunction {
  return fn.projectId === owned.projectId ? fn : functionsOf(owned).missing();
}
