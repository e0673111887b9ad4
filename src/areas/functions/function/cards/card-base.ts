import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../../../kernel/json/json.js';
import {
  definitionKeys,
  definitionOf,
  type FunctionDefinition,
  type FunctionDetails,
  type FunctionDocument,
  hasFullDataAccess,
} from '../function.record.js';
import type { FunctionCardKind } from '../function-changes.js';
import type { FunctionChange } from '../save-input.js';

/**
 * A card (a change that waits for approval) is void when this hash changes. The hash covers only what the card changes,
 * so two cards of one function do not void each other. In addition, a card that grants Full data access depends on the
 * live version, and a card with a new version depends on whether the function has Full data access.
 */
export function cardBaseOf(fn: FunctionDocument, kind: string, input: JsonObject): string {
  return digest(partsOf(fn, kind as FunctionCardKind, input));
}

/**
 * Returns the hash that older versions of the service recorded. It covers more than the parts of the function that the
 * card changes.
 */
export function formerBaseOf(fn: FunctionDocument, kind: string, input: JsonObject): string {
  const { liveVersionId, capabilities, identityMode, secrets, draft } = fn;
  const { details, isActive } = kind === 'function-save' ? (input as FunctionChange) : {};
  return digest({
    definition: definitionOf(fn),
    liveVersionId,
    capabilities,
    identityMode,
    secrets,
    draft: kind === 'function-publish' ? draft : null,
    ...(details === undefined ? {} : { details: heldOf(fn, Object.keys(details)) }),
    ...(isActive === undefined ? {} : { isActive: fn.isActive }),
  });
}

function partsOf(fn: FunctionDocument, kind: FunctionCardKind, input: JsonObject): object {
  const { capabilities, identityMode, secrets, accessRules, liveVersionId, draft } = fn;
  const version = { definition: definitionOf(fn), liveVersionId };
  const fullDataAccess = hasFullDataAccess(fn);
  switch (kind) {
    case 'function-capabilities':
      return { capabilities, ...(givesService(input) ? version : {}) };
    case 'function-identity-mode':
      return { identityMode, ...(input['mode'] === 'workspace' ? version : {}) };
    case 'function-secrets':
      return { secrets };
    case 'function-access-rules':
      return { accessRules };
    case 'function-publish':
      return { fullDataAccess, liveVersionId, draftId: draft?.versionId, changes: draft && changesOf(fn, draft) };
    case 'function-roll-back': {
      const to = input['definition'] as unknown as FunctionDefinition;
      return { fullDataAccess, liveVersionId, changes: changesOf(fn, to).map(({ key, from }) => ({ key, from })) };
    }
    case 'function-save': {
      const { details = {}, definition = {}, isActive } = input as FunctionChange;
      return {
        fullDataAccess,
        held: heldOf(fn, [...Object.keys(details), ...Object.keys(definition)]),
        ...(isActive === undefined ? {} : { isActive: fn.isActive }),
        ...(givesService(input) ? { capabilities, ...version } : {}),
      };
    }
  }
}

const givesService = ({ powers }: JsonObject) => Array.isArray(powers) && powers.includes('service');

const heldOf = (fn: FunctionDocument, keys: readonly string[]) =>
  keys.map((key) => [key, fn[key as keyof FunctionDetails | keyof FunctionDefinition]]);

const changesOf = (fn: FunctionDocument, to: FunctionDefinition) =>
  definitionKeys
    .filter((key) => !isDeepStrictEqual(fn[key], to[key]))
    .map((key) => ({ key, from: fn[key] as Json, to: to[key] as Json }));

const digest = (of: object) => hash('sha256', JSON.stringify(of), 'hex');
