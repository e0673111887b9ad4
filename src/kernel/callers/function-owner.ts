/** Whom a function belongs to. */
export type FunctionOwner = { readonly kind: 'workspace' } | { readonly kind: 'project'; readonly projectId: string };

export type FunctionOwnerKind = FunctionOwner['kind'];

/** The owner in records and events. Left out: the workspace, as in every event from before there were owners. */
export interface Owned {
  readonly projectId?: string;
}

export const workspaceOwner: FunctionOwner = { kind: 'workspace' };

export function ownerOf({ projectId }: Owned): FunctionOwner {
  return projectId === undefined ? workspaceOwner : { kind: 'project', projectId };
}

export function ownedBy(owner: FunctionOwner): Owned {
  return owner.kind === 'workspace' ? {} : { projectId: owner.projectId };
}
