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

/** Fraction of the workspace's quota, for visitors of one site. Does not reduce that quota. */
const partOfSite = 1 / 10;
/** Fraction of the workspace's quota, for visitors of all sites together. */
const partOfVisitors = 1 / 2;

const own = { commands: 'workspace-quota', runs: 'runs-quota', files: 'files-quota' } as const;

/** All returned accounts must have room. Returns none if there is no limit. */
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
