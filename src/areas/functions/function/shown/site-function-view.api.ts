import type { JsonObject } from '../../../../kernel/json/json.js';
import type { ReadText } from '../../../../kernel/text/text.js';
import { withoutIds } from '../../data-function/bound-names.api.js';
import { type FunctionDocument, versionOf } from '../function.record.js';
import { draftRecord } from './function-view.js';
import type { SiteDraftRecord, SiteFunctionRecord, SiteFunctionRow } from './site-function-shapes.api.js';

export function siteFunctionRecord(fn: FunctionDocument, read: ReadText): SiteFunctionRecord {
  const {
    workspaceId: _,
    versions: __,
    undo: ___,
    draft,
    summary: ____,
    projectId = '',
    keepFixing: _____,
    ...record
  } = fn;
  const { grants, definition: ______, ...rest } = record;
  return {
    ...rest,
    projectId,
    ...contentOf(fn, read),
    // Answers do not show whether an Admin allowed the hosts of the secret (Automations API, Resources).
    secrets: fn.secrets.map(({ opened: _______, ...secret }) => secret),
    connections: grants.connections,
    isTool: fn.toolSpec !== null,
    runAs: fn.definition === undefined ? null : fn.capabilities.includes('service') ? 'service' : 'member',
    draft: draft === null ? null : siteDraft(fn, read),
    version: versionOf(fn),
  };
}

export function siteFunctionRow(fn: FunctionDocument, read: ReadText): SiteFunctionRow {
  const { id, name, description, timeout, accessRules, isActive } = fn;
  return { id, name, description, ...contentOf(fn, read), timeout, accessRules, isActive };
}

function contentOf({ code, definition }: Pick<FunctionDocument, 'code' | 'definition'>, read: ReadText) {
  const kind = definition === undefined ? ('code' as const) : ('data' as const);
  return { kind, code: read(code), definition: shownDefinition(definition) };
}

const shownDefinition = (definition: JsonObject | undefined) =>
  definition === undefined ? null : withoutIds(definition);

function siteDraft(fn: FunctionDocument, read: ReadText): SiteDraftRecord | null {
  const draft = draftRecord(fn, read);
  if (draft === null) return null;
  const { grants, ...rest } = draft;
  return { ...rest, definition: shownDefinition(rest.definition), connections: grants.connections };
}
