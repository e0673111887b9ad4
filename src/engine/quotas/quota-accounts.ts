/** Kinds of stored data. Each has a quota of its own. */
export type QuotaKind = 'commands' | 'runs' | 'files';

/** The workspace or site to which stored data is charged. The context of a call has these fields. */
export interface CountedFor {
  readonly workspaceId: string;
  /** Id of the site whose visitor caused the writing. If omitted, the workspace itself is charged. */
  readonly visitedSite?: string | undefined;
}

/** Daily limits of a workspace, in bytes. 0 means no limit. */
export interface DayLimits {
  readonly workspaceDayBytes: number;
  readonly workspaceDayRunBytes: number;
  readonly workspaceDayFileBytes: number;
}

export interface Account {
  /** Name of the account, unique within the workspace. Empty for commands of the workspace itself. */
  readonly name: string;
  readonly bytes: number;
  readonly refusal: 'workspace-quota' | 'runs-quota' | 'files-quota' | 'visitors-quota';
}

/** Quota for visitors of one site, as a fraction of the workspace's quota. It does not reduce that quota. */
const partOfSite = 1 / 10;
/** Quota for visitors of all sites together, as a fraction of the workspace's quota. */
const partOfVisitors = 1 / 2;

const own = { commands: 'workspace-quota', runs: 'runs-quota', files: 'files-quota' } as const;

/** Returns the accounts to charge, or none if there is no limit. All of them must have room. */
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
