import type { Actor, EventMetadata } from '../../../kernel/event.js';

/** Automations API, Function version. Its code stands in the events, and of the live one and the draft on the function. */
export interface FunctionVersion {
  readonly id: string;
  readonly number: number;
  readonly state: 'draft' | 'live' | 'archived';
  /** It was live once, so it can be rolled back to. */
  readonly wasLive: boolean;
  readonly writtenBy: string;
  readonly createdAt: string;
  readonly publishedBy: string | null;
  readonly publishedAt: string | null;
  /** Code lines changed against the version before it. */
  readonly linesChanged: number;
}

/** What a save says of the version it makes. */
export interface VersionSaved {
  readonly versionId: string;
  readonly linesChanged: number;
}

interface Versioned {
  readonly versions: readonly FunctionVersion[];
  readonly liveVersionId: string;
}

type Circumstances = Pick<EventMetadata, 'actor' | 'at'>;

/** Older ones are forgotten in the list; the events keep them. */
const versionsKept = 200;

/** A person's name, or whose agent it was. */
export function writtenBy({ kind, name }: Actor): string {
  return kind === 'agent' ? `AI agent ${name}` : name;
}

export function beginning(versionId: string, code: string, made: Circumstances): Versioned {
  const linesChanged = code === '' ? 0 : code.split('\n').length;
  return { versions: [live(draftOf(1, { versionId, linesChanged }, made), made)], liveVersionId: versionId };
}

/** A save that is live at once. */
export function savedLive({ versions }: Versioned, saved: VersionSaved, made: Circumstances): Versioned {
  const version = live(draftOf(nextNumber(versions), saved, made), made);
  return { versions: kept([...versions.map(archived), version]), liveVersionId: saved.versionId };
}

/** A new draft, or the open one once more: then it keeps its number. One that is replaced was never live. */
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
  return { versions: kept([...others, draftOf(number, saved, made)]) };
}

/** The version that was live is archived (settled question Q-A21). */
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

/** The live one and the draft are never forgotten. */
function kept(versions: readonly FunctionVersion[]): readonly FunctionVersion[] {
  const surplus = versions.length - versionsKept;
  if (surplus <= 0) return versions;
  return versions.filter(({ state }, at) => state !== 'archived' || at >= surplus);
}
