import type { Actor, EventMetadata } from '../../../kernel/event/event.js';
import { lineCountOf, type Text } from '../../../kernel/text/text.js';

/**
 * Automations API, Function version. A version's code is in the events; the record itself holds only the code of the
 * live version and the draft.
 */
export interface FunctionVersion {
  readonly id: string;
  readonly number: number;
  readonly state: 'draft' | 'live' | 'archived';
  /** Whether the version was live once, so that a roll-back is possible. */
  readonly wasLive: boolean;
  readonly writtenBy: string;
  readonly createdAt: string;
  readonly publishedBy: string | null;
  readonly publishedAt: string | null;
  /** Lines changed since the previous version. */
  readonly linesChanged: number;
}

/** The facts that a save records about its version. */
export interface VersionSaved {
  readonly versionId: string;
  readonly linesChanged: number;
}

export interface Versioned {
  readonly versions: readonly FunctionVersion[];
  readonly liveVersionId: string;
}

type Circumstances = Pick<EventMetadata, 'actor' | 'at'>;

/** Older versions drop out of the list but remain in the events. */
const mostVersions = 200;

/** Returns a person's name, or the agent's. */
export function writtenBy({ kind, name }: Actor): string {
  return kind === 'agent' ? `AI agent ${name}` : name;
}

export function firstVersion(versionId: string, code: Text, made: Circumstances): Versioned {
  return {
    versions: [live(draftOf(1, { versionId, linesChanged: lineCountOf(code) }, made), made)],
    liveVersionId: versionId,
  };
}

/** Applies a save that takes effect at once. */
export function savedLive({ versions }: Versioned, saved: VersionSaved, made: Circumstances): Versioned {
  const version = live(draftOf(nextNumber(versions), saved, made), made);
  return { versions: newest([...versions.map(archived), version]), liveVersionId: saved.versionId };
}

/** Creates a draft, or updates the open one, which keeps its number. A draft that is replaced was never live. */
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

/** Archives the version that was live (settled question Q-A21). */
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

/** The newest versions; always includes the live one and the draft. */
function newest(versions: readonly FunctionVersion[]): readonly FunctionVersion[] {
  const surplus = versions.length - mostVersions;
  if (surplus <= 0) return versions;
  return versions.filter(({ state }, at) => state !== 'archived' || at >= surplus);
}

type VersionList = Pick<Versioned, 'versions'>;

interface OfVersion {
  readonly data: { readonly versionId: string };
}

/** The audit's words for these events. A function lists only its newest versions. */
export const versionWords = {
  FunctionDraftSaved: (fn: VersionList, event: OfVersion) => `Saved ${versionNamed(fn, event)} as a draft`,
  FunctionPublished: (fn: VersionList, event: OfVersion) => `Published ${versionNamed(fn, event)}`,
  FunctionRolledBack: (fn: VersionList, event: OfVersion) => `Rolled back to ${versionNamed(fn, event)}`,
};

function versionNamed({ versions }: VersionList, { data: { versionId } }: OfVersion): string {
  const number = versions.find(({ id }) => id === versionId)?.number;
  return number === undefined ? 'an older version' : `version ${number}`;
}
