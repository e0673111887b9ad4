import type { ReadText } from '../../../../kernel/text/text.js';
import { definitionOf, type FunctionDocument, versionOf } from '../function.record.js';
import { type FunctionVersion, writtenBy } from '../function-version.js';
import type {
  DraftRecord,
  FunctionRecord,
  FunctionSummary,
  Publication,
  VersionRecord,
} from './function-shapes.api.js';

export function functionRecord(fn: FunctionDocument, read: ReadText): FunctionRecord {
  const { workspaceId: _, versions: __, undo: ___, draft: ____, ...record } = fn;
  return { ...record, code: read(fn.code), draft: draftRecord(fn, read), version: versionOf(fn) };
}

export function functionSummary(fn: FunctionDocument): FunctionSummary {
  const { id, name, description, summary, exposed, isActive, grants, updatedAt } = fn;
  return { id, name, description, summary, exposed, isActive, grants, updatedAt };
}

export function draftRecord({ draft, versions }: FunctionDocument, read: ReadText): DraftRecord | null {
  if (draft === null) return null;
  const version = versions.find(({ id }) => id === draft.versionId);
  return {
    versionId: draft.versionId,
    number: version?.number ?? 0,
    writtenBy: writtenBy(draft.writer),
    createdAt: version?.createdAt ?? '',
    ...definitionOf(draft),
    code: read(draft.code),
  };
}

export function versionRecord({ wasLive: _, ...version }: FunctionVersion): VersionRecord {
  return { ...version, isLive: version.state === 'live' };
}

export function publication(fn: FunctionDocument, versionId: string): Publication {
  const version = fn.versions.find(({ id }) => id === versionId);
  const { number = 0, publishedBy = null, publishedAt = null } = version ?? {};
  return { versionId, number, publishedBy, publishedAt };
}
