/** Each kind of stored data has a quota of its own. */
export type QuotaKind = 'commands' | 'runs' | 'files';

export interface CountedFor {
  readonly workspaceId: string;
  /** If omitted, the workspace itself is charged. */
  readonly visitedSite?: string | undefined;
}

/** Limits in bytes. 0 means no limit. */
export interface DayLimits {
  readonly workspaceDayBytes: number;
  readonly workspaceDayRunBytes: number;
  readonly workspaceDayFileBytes: number;
}

export interface Account {
  /** Unique within the workspace. Empty for commands of the workspace itself. */
  readonly name: string;
  readonly bytes: number;
  readonly refusal: 'workspace-quota' | 'runs-quota' | 'files-quota' | 'visitors-quota';
}

/**
 * Quota of the visitors of one site, as a fraction of the workspace's quota. What visitors use is not counted towards
 * the workspace's quota.
 */
const partOfSite = 1 / 10;
/** Quota of the visitors of all sites together, as a fraction of the workspace's quota. */
const partOfVisitors = 1 / 2;

const own = { commands: 'workspace-quota', runs: 'runs-quota', files: 'files-quota' } as const;

/**
 * Returns the quotas to which the bytes are charged, all of which must have room. Returns none if there is no limit.
 */
export function accountsOf(settings: DayLimits, { visitedSite }: CountedFor, kind: QuotaKind): readonly Account[] {
  const { workspaceDayBytes: commands, workspaceDayRunBytes: runs, workspaceDayFileBytes: files } = settings;
  const bytes = { commands, runs, files }[kind];
  if (bytes === 0) return [];
  const name = kind === 'commands' ? '' : kind;
  if (visitedSite === undefined) return [{ name, bytes, refusal: own[kind] }];
  const refusal = 'visitors-quota';
  return [
    { name: `${kind}-visitors`, bytes: bytes * partOfVisitors, refusal },
    { name: `${kind}-visitors-${visitedSite}`, bytes: bytes * partOfSite, refusal },
  ];
}
