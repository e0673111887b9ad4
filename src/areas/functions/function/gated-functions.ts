import type { GatedKind } from '../../../engine/gated-kind.js';
import { refuse } from '../../../kernel/refusal.js';
import { knownSecrets } from '../../secrets/env-var/known-secrets.api.js';
import { applyChange } from './apply-change.js';
import type { FunctionChange } from './asked-save.js';
import { type AccountFunction, accountFunctions, type FunctionEvent } from './function.record.js';
import { baseOf } from './function-changes.js';
import { wantedName } from './function-name.js';
import { functionRecord } from './function-view.js';

/** Changes of functions that a person may have to approve. */
export const gatedFunctions: GatedKind<AccountFunction, FunctionEvent> = {
  aggregate: accountFunctions,
  collection: 'functions',
  noun: 'function',
  shown: functionRecord,
  baseOf,

  /** A card is reserved no name: one that is taken now is told of now, one that is taken by then when it is applied. */
  async checkCard(reads, { workspaceId, id }, input) {
    const name = nameIn(input);
    if (name === undefined) return;
    const holder = await reads.first<AccountFunction>(workspaceId, 'functions', { name });
    if (holder !== undefined && holder.id !== id) refuse('function-name-taken', { name });
  },

  async application(call, change, reads) {
    const versionId = call.newId('ver');
    const known = change.kind === 'function-secrets' ? (await knownSecrets(reads, call.workspaceId)).hosts : undefined;
    const name = nameIn(change.input);
    return {
      decide: (fn) => applyChange(fn, change, { versionId, known }),
      ...(name === undefined ? {} : { reserves: [wantedName(name, change.targetId, call)] }),
    };
  },

  undone: (undo) => ({ type: 'FunctionUndone', data: { undo } }),
};

/** The new name that a card's save gives. */
const nameIn = ({ details }: FunctionChange): string | undefined => details?.name;
