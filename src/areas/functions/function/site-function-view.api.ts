import type { ReadText } from '../../../kernel/text.js';
import { type AccountFunction, versionOf } from './function.record.js';
import { draftRecord } from './function-view.js';
import type { SiteDraftRecord, SiteFunctionRecord, SiteFunctionRow } from './site-function-shapes.api.js';

/** A function of a site as operations answer it. `read` gives its texts. */
export function siteFunctionRecord(fn: AccountFunction, read: ReadText): SiteFunctionRecord {
  const { workspaceId: _, versions: __, undo: ___, draft, summary: ____, projectId = '', ...record } = fn;
  const { grants, ...rest } = record;
  return {
    ...rest,
    projectId,
    ...contentOf(fn, read),
    connections: grants.connections,
    isTool: fn.toolSpec !== null,
    draft: draft === null ? null : siteDraft(fn, read),
    version: versionOf(fn),
  };
}

/** The fields of a list row (Sites API, Backend function). */
export function siteFunctionRow(fn: AccountFunction, read: ReadText): SiteFunctionRow {
  const { id, name, description, timeout, accessRules, isActive } = fn;
  return { id, name, description, ...contentOf(fn, read), timeout, accessRules, isActive };
}

function contentOf({ code }: Pick<AccountFunction, 'code'>, read: ReadText) {
  return { kind: 'code', code: read(code), definition: null } as const;
}

function siteDraft(fn: AccountFunction, read: ReadText): SiteDraftRecord | null {
  const draft = draftRecord(fn, read);
  if (draft === null) return null;
  const { grants, ...rest } = draft;
  return { ...rest, connections: grants.connections };
}
