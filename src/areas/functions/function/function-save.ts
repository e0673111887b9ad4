import { nothingKnown } from '../../../kernel/condition/check-condition.js';
import { differing } from '../../../kernel/record/differing.js';
import type { Undo } from '../../../kernel/record/undo.js';
import { type ReadText, sameText, type Text } from '../../../kernel/text/text.js';
import { refuse } from '../functions.refusals.js';
import { bringsCode, codeWaits, noticeOfCode } from './cards/code-notice.api.js';
import { decidesForOthers, undoAtOnce } from './changes-without-approval.js';
import { checkCode, checkedFunctionRules, checkTool, wholeGrants } from './function.js';
import {
  definitionKeys,
  definitionOf,
  type FunctionDefinition,
  type FunctionDetails,
  type FunctionDocument,
  type FunctionEvent,
  hasFullDataAccess,
  type Power,
} from './function.record.js';
import { type FunctionOutcome, mustBeSeen, proposePowers, proposeSave, takeAway } from './function-changes.js';
import { checkFunctionName } from './function-name.js';
import { ownerRulesOf } from './function-owner.api.js';
import type { Undoable } from './function-undo.js';
import { checkMachine } from './rights/machine-limits.js';
import type { FunctionChange, FunctionUpdateInput, Saving } from './save-input.js';
import { linesChanged } from './versions/lines-changed.js';

/**
 * A save without differences does not change `updatedAt`. With the setting `versions` on, changes of the definition go
 * to the open draft; otherwise they are live at once (Automations API, States). What would be live waits for approval
 * as a whole if the function has or would get Full data access, if the access rules of such a function call it, or if
 * the workspace requires approval for its code (settled questions Q-A23, Q-S119 and Q-S121). For exceptions, see
 * changes-without-approval.ts.
 */
export function updateFunction(
  fn: FunctionDocument,
  input: FunctionUpdateInput,
  saving: Saving,
  read: ReadText,
): FunctionOutcome {
  checkSeen(fn, input);
  checkKind(fn, input);
  const change = changeOf(fn, input, saving);
  const { given, taken } = asRunBy(fn, input);
  // Powers are removed first, because the rest of the save might not need approval without them. Any later event ends
  // the Undo of their removal: that Undo must not give Full data access to what became live without approval. A draft is
  // recorded before, because it is not live.
  const left: FunctionDocument = { ...fn, capabilities: fn.capabilities.filter((power) => !taken.includes(power)) };
  checkMachine({ fn, left }, input, change, saving);
  if (input.toolSpec) checkTool(input.toolSpec);
  if (change.details?.name !== undefined) checkFunctionName(change.details.name);
  if (given.length > 0) {
    if (saving.workspaceSwitch) refuse('service-through-identity-mode');
    mustBeSeen(fn, input.seenVersion);
  }
  const less = taken.length > 0 && saving.takingPowers ? [takeAway(fn, taken, saving.takingPowers)] : [];
  const changesMore = Object.keys(change).length > 0;
  if (!saving.versions) {
    if (given.length > 0 && changesMore) return proposeSave(fn, { ...change, powers: given }, saving.led);
    if (given.length > 0) return { events: [], proposal: proposePowers(fn, given, taken) };
    const undo = undoAtOnce(left, change, saving);
    const isCode = bringsCode(change);
    const waiting = waits(left, change) || decidesForOthers(change, saving) || (isCode && codeWaits(left, saving));
    if (undo === undefined && waiting) return { ...proposeSave(left, change, saving.led), events: less };
    const events = liveSave(left, change, saving.versionId, read);
    if (undo !== undefined || !isCode) return { events: [...less, ...undoable(events, undo)] };
    return { events: [...less, ...events.map(withNotice(noticeOfCode(left, 'has new code', saving)))] };
  }
  return saveWithDraft(left, change, { given, less }, saving, read);
}

/** With the setting `versions` on. What no draft holds takes effect at once, or waits for approval as a whole. */
function saveWithDraft(
  fn: FunctionDocument,
  { definition, ...beside }: FunctionChange,
  { given, less }: { readonly given: readonly Power[]; readonly less: readonly FunctionEvent[] },
  saving: Saving,
  read: ReadText,
): FunctionOutcome {
  const drafted = definition === undefined ? [] : [draftSave(fn, definition, saving, read)];
  const events = [...drafted, ...less];
  if (Object.keys(beside).length === 0) {
    return given.length === 0 ? { events } : { events, proposal: proposePowers(fn, given, []) };
  }
  if (given.length > 0) return { ...proposeSave(fn, { ...beside, powers: given }, saving.led), events };
  const undo = undoAtOnce(fn, beside, saving);
  if (undo === undefined && waitsNow(fn, beside, saving)) return { ...proposeSave(fn, beside, saving.led), events };
  return { events: [...less, ...drafted, ...undoable(eventsOf(beside, undefined), undo)] };
}

/** A `runAs` of `service` gives the function Full data access; `member` removes it. */
function asRunBy(fn: FunctionDocument, { runAs }: FunctionUpdateInput) {
  const holds = fn.capabilities.includes('service');
  const given: readonly Power[] = runAs === 'service' && !holds ? ['service'] : [];
  const taken: readonly Power[] = runAs === 'member' && holds ? ['service'] : [];
  return { given, taken };
}

function checkKind({ definition }: FunctionDocument, { code, definition: next }: FunctionUpdateInput): void {
  if (code !== undefined && definition !== undefined) refuse('data-function-without-code', undefined, { at: 'code' });
  if (next === undefined) return;
  if (definition === undefined) refuse('no-data-function', undefined, { at: 'definition' });
  if (next['kind'] !== definition['kind']) refuse('definition-kind', { kind: String(definition['kind']) });
}

export function readForSave({ code, draft }: FunctionDocument, input: FunctionUpdateInput): readonly Text[] {
  const concerned = definitionKeys.some((key) => input[key] !== undefined);
  return concerned ? [code, ...(draft === null ? [] : [draft.code])] : [];
}

export function liveSave(
  fn: FunctionDocument,
  change: FunctionChange,
  versionId: string,
  read: ReadText,
): readonly FunctionEvent[] {
  const { definition } = change;
  const lines = definition?.code === undefined ? 0 : linesChanged(read(fn.code), read(definition.code));
  return eventsOf(
    change,
    definition && { type: 'FunctionDefinitionChanged', data: { ...definition, versionId, linesChanged: lines } },
  );
}

/**
 * With Full data access, a save waits if it changes the definition, the name or the description, or if it exposes or
 * activates the function (Sites API, updateBackendFunction). A summary alone does not wait.
 */
function waits(fn: FunctionDocument, { definition, details = {}, isActive }: FunctionChange): boolean {
  if (!hasFullDataAccess(fn)) return false;
  const shown = details.name !== undefined || details.description !== undefined;
  return definition !== undefined || shown || details.exposed === true || isActive === true;
}

/**
 * Whether a change that takes effect at once, because it is not part of a draft, waits for approval. A draft needs
 * approval only when it is published.
 */
function waitsNow(fn: FunctionDocument, beside: FunctionChange, saving: Saving): boolean {
  return decidesForOthers(beside, saving) || (ownerRulesOf(fn).waitsBesideDraft && waits(fn, beside));
}

function changeOf(fn: FunctionDocument, input: FunctionUpdateInput, saving: Saving): FunctionChange {
  const { name, description, summary, exposed, isActive } = input;
  const details = differing<FunctionDetails>(fn, { name, description, summary, exposed });
  const definition = definitionChange(fn, input, saving);
  return {
    ...(details ? { details } : {}),
    ...(definition ? { definition } : {}),
    ...(isActive === undefined || isActive === fn.isActive ? {} : { isActive }),
  };
}

/**
 * With the setting `versions` on, the save is compared with the open draft if there is one; otherwise with the live
 * version. Returns undefined if the definition does not change.
 */
function definitionChange(
  fn: FunctionDocument,
  input: FunctionUpdateInput,
  { versions, known = nothingKnown }: Saving,
): Partial<FunctionDefinition> | undefined {
  const from = versions ? (fn.draft ?? fn) : fn;
  const code = input.code === undefined || sameText(input.code, from.code) ? undefined : input.code;
  if (code !== undefined) checkCode(code);
  return differing<FunctionDefinition>(definitionOf(from), {
    code,
    grants: input.grants && wholeGrants(input.grants),
    accessRules: input.accessRules && {
      ...from.accessRules,
      ...checkedFunctionRules(input.accessRules, ownerRulesOf(fn).execute, known),
    },
    toolSpec: input.toolSpec,
    timeout: input.timeout,
    maxRetries: input.maxRetries,
    definition: input.definition,
  });
}

/**
 * Updates the open draft if its writer saves again. A save by another writer starts a new draft, based on the open one
 * (settled question Q-A20).
 */
function draftSave(
  fn: FunctionDocument,
  definition: Partial<FunctionDefinition>,
  saving: Saving,
  read: ReadText,
): FunctionEvent {
  const { draft } = fn;
  const goesOn = draft !== null && draft.writer.kind === saving.by.kind && draft.writer.id === saving.by.id;
  const code = definition.code ?? draft?.code ?? fn.code;
  return {
    type: 'FunctionDraftSaved',
    data: {
      ...definition,
      versionId: goesOn ? draft.versionId : saving.versionId,
      linesChanged: linesChanged(read(goesOn || draft === null ? fn.code : draft.code), read(code)),
    },
  };
}

function eventsOf({ details, isActive }: FunctionChange, saved: FunctionEvent | undefined): readonly FunctionEvent[] {
  return [
    ...(details ? [{ type: 'FunctionDetailsChanged', data: details } as const] : []),
    ...(isActive === undefined
      ? []
      : [{ type: isActive ? 'FunctionActivated' : 'FunctionDeactivated', data: {} } as const]),
    // Must be the last event, because any later event ends the Undo.
    ...(saved ? [saved] : []),
  ];
}

const withNotice = (noticed: Undoable) => (event: FunctionEvent) =>
  event.type === 'FunctionDefinitionChanged' ? { ...event, data: { ...event.data, ...noticed } } : event;

function undoable(events: readonly FunctionEvent[], undo: Undo | undefined): readonly FunctionEvent[] {
  if (undo === undefined) return events;
  return events.map((event): FunctionEvent => {
    switch (event.type) {
      case 'FunctionDetailsChanged':
        return { type: event.type, data: { ...event.data, undo } };
      case 'FunctionDefinitionChanged':
        return { type: event.type, data: { ...event.data, undo } };
      case 'FunctionDeactivated':
        return { type: event.type, data: { ...event.data, undo } };
      default:
        return event;
    }
  });
}

function checkSeen(fn: FunctionDocument, { seenUpdatedAt, ...input }: FunctionUpdateInput): void {
  const touches = input.code !== undefined || input.grants !== undefined || input.accessRules !== undefined;
  if (touches && ownerRulesOf(fn).needsSeenUpdatedAt && seenUpdatedAt === undefined) refuse('seen-updated-at-missing');
  if (seenUpdatedAt !== undefined && Date.parse(seenUpdatedAt) !== Date.parse(fn.updatedAt)) {
    refuse('function-changed-since', { updatedAt: fn.updatedAt }, { updatedAt: fn.updatedAt });
  }
}
