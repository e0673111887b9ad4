import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from '../../../engine/approvals/gated-kind.js';
import type { Proposal } from '../../../engine/approvals/pending-changes.js';
import type { Owned } from '../../../kernel/callers/function-owner.js';
import type { Json, JsonObject } from '../../../kernel/json/json.js';
import { type Taking, undoOf } from '../../../kernel/record/undo.js';
import { type LedFrom, ledFromNone, ledFromWords } from '../../access/policy/led-from.api.js';
import { refuse } from '../functions.refusals.js';
import {
  bringsCode,
  type CodePublishing,
  codeWaits,
  holdingWords,
  noticeOfCode,
  powerWords,
} from './cards/code-notice.api.js';
import { type AtOnce, changeByDraft, decidesForOthers, undoAtOnce } from './changes-without-approval.js';
import {
  type AccessRules,
  definitionKeys,
  definitionOf,
  type FunctionDefinition,
  type FunctionDetails,
  type FunctionDocument,
  type FunctionEvent,
  hasFullDataAccess,
  type IdentityMode,
  type Power,
  powers,
  versionOf,
} from './function.record.js';
import type { FunctionChange } from './save-input.js';

export type FunctionCardKind =
  | 'function-save'
  | 'function-publish'
  | 'function-roll-back'
  | 'function-capabilities'
  | 'function-identity-mode'
  | 'function-secrets'
  | 'function-access-rules';

export type FunctionOutcome = Outcome<FunctionEvent, FunctionCardKind>;

export interface CapabilitiesInput {
  readonly capabilities?: readonly Power[];
  readonly add?: readonly Power[];
  readonly remove?: readonly Power[];
  readonly seenVersion?: string;
}

export interface WaitingPowers {
  readonly id: string;
  readonly powers: readonly Power[];
}

/**
 * Powers are removed at once, and members can undo the removal. New powers wait for approval (Automations API, States).
 * If a request has `add` but no `capabilities`, it includes the powers of an earlier request that still waits, and
 * replaces that request.
 */
export function setCapabilities(
  fn: FunctionDocument,
  { capabilities, add, remove = [], seenVersion }: CapabilitiesInput,
  {
    workspaceSwitch,
    waiting,
    ...taking
  }: Taking & { readonly workspaceSwitch: boolean; readonly waiting?: WaitingPowers | undefined },
): FunctionOutcome {
  const isMore = add?.some((power) => !fn.capabilities.includes(power)) ?? false;
  const composed = isMore && capabilities === undefined ? waiting : undefined;
  const next = new Set([...(capabilities ?? fn.capabilities), ...(add ?? []), ...(composed?.powers ?? [])]);
  for (const power of remove) next.delete(power);
  const given = powers.filter((power) => next.has(power) && !fn.capabilities.includes(power));
  const taken = fn.capabilities.filter((power) => !next.has(power));
  if (given.includes('service')) {
    if (workspaceSwitch) refuse('service-through-identity-mode');
    mustBeSeen(fn, seenVersion);
  }
  return {
    events: taken.length === 0 ? [] : [takeAway(fn, taken, taking)],
    ...(given.length === 0
      ? {}
      : { proposal: { ...proposePowers(fn, given, taken), ...(composed && { composes: composed.id }) } }),
  };
}

export function takeAway(fn: FunctionDocument, taken: readonly Power[], taking: Taking): FunctionEvent {
  const undo = undoOf(fn, `The function '${fn.name}' no longer has ${powerWords(taken)}.`, taking);
  return { type: 'FunctionPowersTaken', data: { powers: taken, undo } };
}

export function proposePowers(
  fn: FunctionDocument,
  given: readonly Power[],
  taken: readonly Power[],
): NonNullable<FunctionOutcome['proposal']> {
  const from = fn.capabilities.filter((power) => !taken.includes(power));
  const to = powers.filter((power) => from.includes(power) || given.includes(power));
  return {
    kind: 'function-capabilities',
    summary: `Give the function '${fn.name}' ${powerWords(given)}.`,
    changes: [{ path: 'capabilities', from, to }],
    approver: 'editor',
    input: { powers: given },
  };
}

/** A change to or from `workspace` needs the approval of the Owner or an Admin (settled question Q-A28). */
export function setIdentityMode(
  fn: FunctionDocument,
  { mode, seenVersion }: { readonly mode: IdentityMode; readonly seenVersion?: string },
  workspaceSwitch: boolean,
): FunctionOutcome {
  if (!workspaceSwitch) refuse('identity-mode-off');
  if (mode === 'workspace') mustBeSeen(fn, seenVersion);
  if (mode === fn.identityMode) return { events: [] };
  const how = mode === 'workspace' ? 'act as the workspace' : "follow the visitor's data rules again";
  return {
    events: [],
    proposal: {
      kind: 'function-identity-mode',
      summary: `Let the function '${fn.name}' ${how} when a site page starts it.`,
      changes: [{ path: 'identityMode', from: fn.identityMode, to: mode }],
      approver: 'admin',
      input: { mode },
    },
  };
}

/** When approved, the rules apply to the live version and the open draft at once. */
export function proposeRules(fn: FunctionDocument, accessRules: AccessRules): FunctionOutcome {
  return {
    events: [],
    proposal: {
      kind: 'function-access-rules',
      summary: `Change who may start the function '${fn.name}', which has Full data access.`,
      changes: [{ path: 'accessRules', from: fn.accessRules as unknown as Json, to: accessRules as unknown as Json }],
      approver: 'editor',
      input: { accessRules } as unknown as JsonObject,
    },
  };
}

/**
 * Approval is needed if the function has Full data access, if the access rules of such a function call it, or if the
 * workspace requires approval for its code. For exceptions, see changes-without-approval.ts.
 */
export function publish(fn: FunctionDocument, versionId: string, around: AtOnce): FunctionOutcome {
  const version = fn.versions.find(({ id }) => id === versionId) ?? refuse('version-not-found');
  if (version.state !== 'draft' || fn.draft === null) return refuse('version-not-a-draft', { state: version.state });
  const change = changeByDraft(fn, definitionOf(fn.draft));
  const isCode = bringsCode(change);
  if (!hasFullDataAccess(fn) && !decidesForOthers(change, around) && !(isCode && codeWaits(fn, around))) {
    const noticed = isCode ? noticeOfCode(fn, `has new code, version ${version.number}`, around) : {};
    return { events: [{ type: 'FunctionPublished', data: { versionId, ...noticed } }] };
  }
  const undo = undoAtOnce(fn, change, around);
  if (undo !== undefined) return { events: [{ type: 'FunctionPublished', data: { versionId, undo } }] };
  return {
    events: [],
    proposal: {
      kind: 'function-publish',
      summary: `Publish version ${version.number} of the function ${nameAndWhy(fn, around.led)}.`,
      changes: differences(fn, fn.draft),
      approver: 'editor',
      input: { versionId },
    },
  };
}

/**
 * A rollback is always treated as new code.
 * @param definition the version's definition, read from the events; undefined if none was found
 */
export function rollBackFunction(
  fn: FunctionDocument,
  versionId: string,
  definition: FunctionDefinition | undefined,
  around: CodePublishing & { readonly led: LedFrom },
): FunctionOutcome {
  const { led } = around;
  const version = fn.versions.find(({ id }) => id === versionId) ?? refuse('version-not-found');
  if (version.state !== 'archived' || !version.wasLive) {
    return refuse('version-cannot-return', { state: version.state === 'archived' ? 'never live' : version.state });
  }
  if (definition === undefined) return refuse('version-not-found');
  if (!codeWaits(fn, around) && !decidesForOthers(changeByDraft(fn, definition), { led })) {
    const noticed = noticeOfCode(fn, `was rolled back to version ${version.number}`, around);
    return { events: [{ type: 'FunctionRolledBack', data: { ...definition, versionId, ...noticed } }] };
  }
  const why = whyOf(fn, led);
  return {
    events: [],
    proposal: {
      kind: 'function-roll-back',
      summary: `Roll the function ${nameAndWhy(fn, led)}${why === '' ? '' : ','} back to version ${version.number}.`,
      changes: differences(fn, definition),
      approver: 'editor',
      input: { versionId, definition: definition as unknown as JsonObject },
    },
  };
}

export function proposeSave(fn: FunctionDocument, change: FunctionChange, led?: LedFrom): Required<FunctionOutcome> {
  const { details = {}, definition = {}, isActive, powers: given = [] } = change;
  const fields = Object.entries({ ...details, ...(isActive === undefined ? {} : { isActive }) });
  return {
    events: [],
    proposal: {
      kind: 'function-save',
      summary:
        given.length > 0
          ? `Change the function '${fn.name}', and give it ${powerWords(given)}.`
          : `Change the function ${nameAndWhy(fn, led)}.`,
      changes: [
        ...fields.map(([path, to]) => ({ path, from: fn[path as keyof FunctionDetails | 'isActive'], to })),
        ...differences(fn, { ...definitionOf(fn), ...definition }),
        ...(given.length === 0
          ? []
          : [{ path: 'capabilities', from: fn.capabilities, to: [...fn.capabilities, ...given] }]),
      ],
      approver: 'editor',
      input: change as unknown as JsonObject,
    },
  };
}

const nameAndWhy = (fn: FunctionDocument, led?: LedFrom) =>
  [`'${fn.name}'`, ...[whyOf(fn, led)].filter((why) => why !== '')].join(', ');

function whyOf(fn: FunctionDocument, led: LedFrom = ledFromNone): string {
  const own = hasFullDataAccess(fn) ? ['which has Full data access'] : [];
  const reasons = [...own, ...(led.guard === 'card' ? [ledFromWords(led)] : [])];
  const holdings = reasons.length === 0 ? holdingWords(fn) : undefined;
  return [...reasons, ...(holdings === undefined ? [] : [`which ${holdings}`])].join(' and ');
}

function differences(from: FunctionDocument, to: FunctionDefinition): Proposal['changes'] {
  return definitionKeys
    .filter((key) => !isDeepStrictEqual(from[key], to[key]))
    .map((key) => ({ path: pathOf(from, key), from: shownOf(from, key, from), to: shownOf(from, key, to) }));
}

/** The grants of a site's function are called `connections` on approval cards and in API responses. */
const pathOf = ({ projectId }: Owned, key: keyof FunctionDefinition) =>
  key === 'grants' && projectId !== undefined ? 'connections' : key;

function shownOf({ projectId }: Owned, key: keyof FunctionDefinition, of: FunctionDefinition): Json {
  const part = key === 'grants' && projectId !== undefined ? of.grants.connections : of[key];
  return part as unknown as Json;
}

/** Adding Full data access requires that the caller saw the current version (settled question Q-G31). */
export function mustBeSeen(fn: FunctionDocument, seenVersion: string | undefined): void {
  if (seenVersion === undefined) refuse('seen-version-missing');
  const version = versionOf(fn);
  if (seenVersion !== version) refuse('function-not-as-seen', undefined, { version });
}
