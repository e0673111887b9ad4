import type { GatedKind } from '../../../../engine/approvals/gated-kind.js';
import type { Reads } from '../../../../engine/scopes/reads.js';
import { type FunctionOwnerKind, type Owned, ownedBy, ownerOf } from '../../../../kernel/callers/function-owner.js';
import type { Where } from '../../../../kernel/record/projection.js';
import type { Text } from '../../../../kernel/text/text.js';
import { type KnownSecrets, knownSecrets } from '../../../secrets/env-var/known-secrets.api.js';
import { refuse } from '../../functions.refusals.js';
import type { FunctionDocument, FunctionEvent } from '../function.record.js';
import { functionKinds } from '../function-kinds.api.js';
import { functionNameRequest } from '../function-name.js';
import { ownerRules, ownerRulesOf } from '../function-owner.api.js';
import type { FunctionChange } from '../save-input.js';
import { functionRecord } from '../shown/function-view.js';
import { siteFunctionRecord } from '../shown/site-function-view.api.js';
import { applyChange } from './apply-change.js';
import { askingOf } from './card-asking.js';
import { cardBaseOf, formerBaseOf } from './card-base.js';
import { whyNotUndone } from './undo-leads.js';

export function gatedFunctionsOf(kind: FunctionOwnerKind): GatedKind<FunctionDocument, FunctionEvent> {
  const functions = functionKinds[kind];
  const { collection } = ownerRules[kind];
  return {
    aggregate: functions,
    collection,
    noun: 'function',
    shown: kind === 'workspace' ? functionRecord : siteFunctionRecord,
    baseOf: cardBaseOf,
    formerBaseOf,
    askingOf,

    /**
     * A card (a change that waits for approval) does not reserve a new name, so the name is checked again when the card
     * is applied.
     */
    async checkCard(reads, fn, input) {
      const name = newName(input);
      if (name === undefined) return;
      const holder = await reads.first<FunctionDocument>(fn.workspaceId, collection, { name, ...whereOwned(fn) });
      if (holder !== undefined && holder.id !== fn.id) refuse('function-name-taken', { name });
    },

    async application(call, change, reads, fn) {
      const versionId = call.newId('ver');
      const known =
        change.kind === 'function-secrets' ? (await secretsKnownTo(reads, call.workspaceId, fn)).hosts : undefined;
      const name = newName(change.input);
      return {
        reads: ({ code }) => [code, ...codeIn(change.input)],
        decide: (now, read) => applyChange(now, change, { versionId, known, read }),
        ...(name === undefined ? {} : { reserves: [functionNameRequest(name, change.targetId, call, fn)] }),
      };
    },

    undone: (undo) => ({ type: 'FunctionUndone', data: { undo } }),
    whyNotUndone,
  };
}

export const gatedFunctions = {
  workspace: gatedFunctionsOf('workspace'),
  project: gatedFunctionsOf('project'),
} as const;

export function secretsKnownTo(reads: Reads, workspaceId: string, owner: Owned): Promise<KnownSecrets> {
  return knownSecrets(reads, workspaceId, ownerRulesOf(owner).envVars, whereOwned(owner));
}

const whereOwned = (of: Owned): Where => ({ ...ownedBy(ownerOf(of)) });

function codeIn({ definition }: FunctionChange): readonly Text[] {
  return definition?.code === undefined ? [] : [definition.code];
}

const newName = ({ details }: FunctionChange): string | undefined => details?.name;
