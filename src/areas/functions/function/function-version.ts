import type { Actor, EventMetadata } from '../../../kernel/event/event.js';
import { lineCountOf, type Text } from '../../../kernel/text/text.js';

/**
 * The record stores the code of only the live version and the open draft; the code of other versions is only in the
 * events (Automations API, Function version).
 */
export interface FunctionVersion {
  readonly id: string;
  readonly number: number;
  readonly state: 'draft' | 'live' | 'archived';
  readonly wasLive: boolean;
  readonly writtenBy: string;
  readonly createdAt: string;
  readonly publishedBy: string | null;
  readonly publishedAt: string | null;
  readonly linesChanged: number;
}

export interface VersionSaved {
  readonly versionId: string;
  readonly linesChanged: number;
}

export interface Versioned {
  readonly versions: readonly FunctionVersion[];
  readonly liveVersionId: string;
}

type Circumstances = Pick<EventMetadata, 'actor' | 'at'>;

/** Maximum number of versions listed in the function's record. Older versions remain in the events. */
const mostVersions = 200;

export function writtenBy({ kind, name }: Actor): string {
  return kind === 'agent' ? `AI agent ${name}` : name;
}

export function firstVersion(versionId: string, code: Text, made: Circumstances): Versioned {
  return {
    versions: [live(draftOf(1, { versionId, linesChanged: lineCountOf(code) }, made), made)],
    liveVersionId: versionId,
  };
}

export function savedLive({ versions }: Versioned, saved: VersionSaved, made: Circumstances): Versioned {
  const version = live(draftOf(nextNumber(versions), saved, made), made);
  return { versions: newest([...versions.map(archived), version]), liveVersionId: saved.versionId };
}

/**
 * Updates the open draft if the save has its id. Otherwise, adds a draft with a new number and archives an open one.
 */
export function savedDraft(
  { versions }: Versioned,
  saved: VersionSaved,
  made: Circumstances,
): Pick<Versioned, 'versions'> {
  const open = versions.find(({ state }) => state === 'draft');
  const number = open?.id === saved.versionId ? open.number : nextNumber(versions);
  const others = versions
    .filter(({ id }) => id !== saved.versionId)
    .map((version): FunctionVersion => (version.state === 'draft' ? { ...version, state: 'archived' } : version));
  return { versions: newest([...others, draftOf(number, saved, made)]) };
}

export function wentLive({ versions }: Versioned, versionId: string, made: Circumstances): Versioned {
  return {
    versions: versions.map((version) => (version.id === versionId ? live(version, made) : archived(version))),
    liveVersionId: versionId,
  };
}

function draftOf(
  number: number,
  { versionId, linesChanged }: VersionSaved,
  { actor, at }: Circumstances,
): FunctionVersion {
  return {
    id: versionId,
    number,
    state: 'draft',
    wasLive: false,
    writtenBy: writtenBy(actor),
    createdAt: at,
    publishedBy: null,
    publishedAt: null,
    linesChanged,
  };
}

const live = (version: FunctionVersion, { actor, at }: Circumstances): FunctionVersion => ({
  ...version,
  state: 'live',
  wasLive: true,
  publishedBy: writtenBy(actor),
  publishedAt: at,
});

const archived = (version: FunctionVersion): FunctionVersion =>
  version.state === 'live' ? { ...version, state: 'archived' } : version;

export const nextNumber = (versions: readonly FunctionVersion[]) =>
  Math.max(0, ...versions.map(({ number }) => number)) + 1;

function newest(versions: readonly FunctionVersion[]): readonly FunctionVersion[] {
  const surplus = versions.length - mostVersions;
  if (surplus <= 0) return versions;
  return versions.filter(({ state }, at) => state !== 'archived' || at >= surplus);
}

type VersionList = Pick<Versioned, 'versions'>;

interface OfVersion {
  readonly data: { readonly versionId: string };
}

export const versionWords = {
  FunctionDraftSaved: (fn: VersionList, event: OfVersion) => `Saved ${versionNamed(fn, event)} as a draft`,
  FunctionPublished: (fn: VersionList, event: OfVersion) => `Published ${versionNamed(fn, event)}`,
  FunctionRolledBack: (fn: VersionList, event: OfVersion) => `Rolled back to ${versionNamed(fn, event)}`,
};

function versionNamed({ versions }: VersionList, { data: { versionId } }: OfVersion): string {
  const number = versions.find(({ id }) => id === versionId)?.number;
  return number === undefined ? 'an older version' : `version ${number}`;
}
