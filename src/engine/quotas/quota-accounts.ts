/** What is counted; each kind has its own quota. */
export type QuotaKind = 'commands' | 'runs' | 'files';

/** To whom a use is charged. A `Call` has these fields. */
export interface CountedFor {
  readonly workspaceId: string;
  /** The site whose visitor caused it. Left out: charged to the workspace itself. */
  readonly visitedSite?: string | undefined;
}

/** Limits per workspace and day, in bytes; 0: no limit. */
export interface DayLimits {
  readonly workspaceDayBytes: number;
  readonly workspaceDayRunBytes: number;
  readonly workspaceDayFileBytes: number;
}

export interface Account {
  /** Unique within the workspace. Empty: what the workspace's own commands record. */
  readonly name: string;
  readonly bytes: number;
  readonly refusal: 'workspace-quota' | 'runs-quota' | 'files-quota' | 'visitors-quota';
}

/** Share of each quota for the visitors of one site. It is additional: the workspace's own quota remains whole. */
const partOfSite = 1 / 10;
/** Share for the visitors of all sites together. */
const partOfVisitors = 1 / 2;

const own = { commands: 'workspace-quota', runs: 'runs-quota', files: 'files-quota' } as const;

/** The accounts that a use is charged to; empty: no limit. */
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
