import type { FunctionOwnerKind, Owned } from '../../../kernel/callers/function-owner.js';
import { ownerOf } from '../../../kernel/callers/function-owner.js';
import type { RecordAggregate } from '../../../kernel/record/record.js';
import { accountFunctions, type FunctionDocument, type FunctionEvent, siteFunctions } from './function.record.js';

export type FunctionRecords = RecordAggregate<FunctionDocument, FunctionEvent>;

export const functionKinds: { readonly [Kind in FunctionOwnerKind]: FunctionRecords } = {
  workspace: accountFunctions,
  project: siteFunctions,
};

export const functionsOf = (owned: Owned): FunctionRecords => functionKinds[ownerOf(owned).kind];

/**
 * A site's functions are found only through their site.
 * @throws Refusal
 */
export function ofOwner(fn: FunctionDocument, owned: Owned): FunctionDocument {
  return fn.projectId === owned.projectId ? fn : functionsOf(owned).missing();
}
